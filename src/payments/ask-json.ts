import { retryAfterMs } from '../resilience/retry-after.ts';
import { unlessAborted } from '../resilience/unless-aborted.ts';

/** What a server answered, or why there is no answer. */
export type JsonAnswer =
  | {
      readonly status: number;
      /** Undefined when it is not JSON. */
      readonly body: unknown;
      /** How long the server asks us to wait. */
      readonly retryAfterMs: number | undefined;
    }
  | { readonly failure: string };

interface JsonQuestion {
  readonly url: string;
  /** Sent as JSON by POST; without one it is a GET. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Asks one host and follows no redirect. Never rejects. */
export async function askJson(question: JsonQuestion): Promise<JsonAnswer> {
  const { timeoutMs, signal } = question;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  try {
    return await unlessAborted(exchange(question, ended), ended);
  } catch (error) {
    if (timeout.aborted) return { failure: `no answer in ${timeoutMs} ms` };
    return { failure: reasonOf(error) };
  }
}

async function exchange({ url, body, maxBytes }: JsonQuestion, signal: AbortSignal): Promise<JsonAnswer> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'error',
    signal,
  });
  const { status, headers } = response;
  const text = await textOf(response, maxBytes);
  return { status, body: parsed(text), retryAfterMs: retryAfterMs(status, headers, Date.now()) };
}

async function textOf({ body }: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
