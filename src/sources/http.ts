import { timer } from 'rxjs';
import { SourceError } from '../errors.ts';
import { retryAfterMs } from '../resilience/retry-after.ts';
import { unlessAborted } from '../resilience/unless-aborted.ts';

const TIMEOUT_MS = 2_000;
const MAX_BYTES = 2 * 1024 * 1024;

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
  /** Called with the headers of every answer, an error status included. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
  /** That of the process unless given. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Asks for a JSON document. Rejects with a SourceError: SOURCE_TIMEOUT, SOURCE_NETWORK (also when aborted
 * or redirected), SOURCE_STATUS, SOURCE_TOO_LARGE or SOURCE_NOT_JSON. Every failure frees the socket.
 */
export async function getJson(url: string, request: JsonRequest = {}): Promise<unknown> {
  const { timeoutMs = TIMEOUT_MS, signal } = request;
  const path = new URL(url).pathname;
  const controller = new AbortController();
  const stop = () => controller.abort();
  const late = () => new SourceError('SOURCE_TIMEOUT', `no whole reply from ${path} in ${timeoutMs} ms`);
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
    throw new SourceError('SOURCE_NETWORK', `the exchange with ${path} broke off`, { cause });
  } finally {
    deadline.unsubscribe();
    signal?.removeEventListener('abort', stop);
  }
}

async function exchange(url: string, request: JsonRequest, signal: AbortSignal): Promise<unknown> {
  const path = new URL(url).pathname;
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
    throw new SourceError('SOURCE_STATUS', `${path} answered ${response.status}, expected 2xx`, {
      status: response.status,
      retryAfterMs: retryAfterMs(response.status, response.headers, Date.now()),
    });
  }
  return parse(await readBytes(response, request.maxBytes ?? MAX_BYTES, path), path);
}

async function readBytes(response: Response, maxBytes: number, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      throw new SourceError('SOURCE_TOO_LARGE', `${path} sent over ${maxBytes} bytes`);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

// A byte that is not UTF-8 becomes U+FFFD: in the text of one element it must not cost the whole document.
function parse(bytes: Buffer, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new SourceError('SOURCE_NOT_JSON', `${path} sent ${bytes.length} bytes that are not JSON`, {
      cause,
    });
  }
}
