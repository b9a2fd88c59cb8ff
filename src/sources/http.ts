import { timer } from 'rxjs';
import { SourceError } from '../errors.ts';
import { retryAfterMs } from '../resilience/retry-after.ts';
import { unlessAborted } from '../resilience/unless-aborted.ts';
import type { AnswerHeaders, HttpExchange } from './http-exchange.ts';

const TIMEOUT_MS = 2_000;
const MAX_BYTES = 2 * 1024 * 1024;
const UTF_8 = new TextDecoder();

export interface JsonRequest {
  /** For the whole exchange, headers and body together. */
  readonly timeoutMs?: number | undefined;
  /** Of the body after decompression, so a small bomb cannot grow large here. */
  readonly maxBytes?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly method?: 'GET' | 'POST' | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Called when it is sent. The answer shows what was there then, or later. */
  readonly onSent?: (() => void) | undefined;
  /** Called with the headers of every answer, an error status included. */
  readonly onHeaders?: ((headers: AnswerHeaders) => void) | undefined;
  /** That of the process unless given. */
  readonly fetch?: HttpExchange | undefined;
}

/**
 * Asks for a JSON document. Rejects with a SourceError: SOURCE_TIMEOUT, SOURCE_NETWORK (also when aborted
 * or redirected), SOURCE_STATUS, SOURCE_TOO_LARGE or SOURCE_NOT_JSON. Every failure frees the socket.
 */
export async function getJson(url: string, request: JsonRequest = {}): Promise<unknown> {
  const { timeoutMs = TIMEOUT_MS, signal } = request;
  const controller = new AbortController();
  const stop = () => controller.abort();
  const late = () =>
    new SourceError('SOURCE_TIMEOUT', `no whole reply from ${pathOf(url)} in ${timeoutMs} ms`);
  const deadline = timer(timeoutMs).subscribe(() => controller.abort(late()));
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    return await unlessAborted(exchange(url, request, controller.signal), controller.signal);
  } catch (cause) {
    // Before anything else: an answer that is refused unread must not hold its socket.
    const { aborted, reason } = controller.signal;
    controller.abort();
    if (cause instanceof SourceError) throw cause;
    if (aborted && reason instanceof SourceError) throw reason;
    throw new SourceError('SOURCE_NETWORK', `the exchange with ${pathOf(url)} broke off`, { cause });
  } finally {
    deadline.unsubscribe();
    signal?.removeEventListener('abort', stop);
  }
}

async function exchange(url: string, request: JsonRequest, signal: AbortSignal): Promise<unknown> {
  request.onSent?.();
  const response = await (request.fetch ?? fetch)(url, {
    method: request.method ?? 'GET',
    headers: {
      accept: 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    redirect: 'error',
    signal,
  });
  request.onHeaders?.(response.headers);
  if (!response.ok) {
    throw new SourceError('SOURCE_STATUS', `${pathOf(url)} answered ${response.status}, expected 2xx`, {
      status: response.status,
      retryAfterMs: retryAfterMs(response.status, response.headers, Date.now()),
    });
  }
  return parse(await readBytes(response.body, request.maxBytes ?? MAX_BYTES, url), url);
}

async function readBytes(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  url: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      throw new SourceError('SOURCE_TOO_LARGE', `${pathOf(url)} sent over ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// A byte that is not UTF-8 becomes U+FFFD: in the text of one element it must not cost the whole document.
function parse(bytes: Buffer, url: string): unknown {
  try {
    return JSON.parse(UTF_8.decode(bytes));
  } catch (cause) {
    throw new SourceError('SOURCE_NOT_JSON', `${pathOf(url)} sent ${bytes.length} bytes that are not JSON`, {
      cause,
    });
  }
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
