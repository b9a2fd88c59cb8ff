import type { API_PREFIX } from '../contract/api-prefix.ts';
import { errorFromAnswer, TallywireError } from './error.ts';
import { createEtagCache } from './etag-cache.ts';
import { type Quota, quotaOf } from './quota.ts';

export interface RetryOptions {
  /** Further attempts after an answer of 429 or 503 that has a Retry-After header. */
  readonly attempts: number;
  /** An answer that asks for a longer wait is thrown instead. */
  readonly longestWaitMs: number;
}

export interface HttpOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`. A path prefix of a proxy is kept. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Limit of one attempt, body included; waits between attempts do not count. */
  readonly timeoutMs?: number | undefined;
  /** Without it no call is repeated. */
  readonly retry?: RetryOptions | undefined;
  /** How many answers are kept with their ETags. */
  readonly keptAnswers?: number | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

interface Request extends CallOptions {
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Sent as JSON by POST. */
  readonly body?: unknown;
  /** Of a call without a body; GET unless given. */
  readonly method?: 'DELETE';
  /** Statuses of 300 or more whose body is an answer and not an error. */
  readonly acceptedStatuses?: readonly number[];
}

export interface Http {
  readonly quota: Quota | undefined;
  /** The JSON of the answer. A refusal, or a missing answer, is thrown as a TallywireError. */
  call(path: string, request?: Request): Promise<unknown>;
}

/** The type makes the compiler compare it with the contract, of which the client loads no code. */
export const API_PATH: typeof API_PREFIX = '/api/v1';

const TIMEOUT_MS = 10_000;
const KEPT_ANSWERS = 64;

export function createHttp(options: HttpOptions): Http {
  const { key, retry = { attempts: 0, longestWaitMs: 0 } } = options;
  const base = withoutTrailingSlash(options.url);
  const send = options.fetch ?? fetch;
  const cache = createEtagCache(options.keptAnswers ?? KEPT_ANSWERS);
  let quota: Quota | undefined;

  async function callOnce(url: string, request: Request): Promise<unknown> {
    const { body, method, acceptedStatuses = [] } = request;
    const cached = body === undefined && method === undefined ? cache.get(url) : undefined;
    const headers: Record<string, string> = {
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(cached === undefined ? {} : { 'If-None-Match': cached.etag }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const plain = method === undefined ? { headers } : { headers, method };
    const init = body === undefined ? plain : { headers, method: 'POST', body: JSON.stringify(body) };
    const timeoutMs = request.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS;
    const answer = await exchange(send, url, init, request.signal, timeoutMs);
    quota = quotaOf(answer.headers) ?? quota;
    if (answer.status === 304 && cached) return cached.body;
    if (answer.status >= 300 && !acceptedStatuses.includes(answer.status)) {
      throw errorFromAnswer(answer.status, answer.headers, answer.text);
    }
    const value = parseJson(answer.text, answer.status);
    const etag = answer.headers.get('etag');
    if (etag !== null && answer.status === 200) cache.set(url, { etag, body: value });
    return value;
  }

  return {
    get quota() {
      return quota;
    },
    async call(path, request = {}) {
      const url = `${base}${API_PATH}${path}${queryText(request.query)}`;
      for (let attempt = 0; ; attempt++) {
        try {
          return await callOnce(url, request);
        } catch (error) {
          if (!(error instanceof TallywireError) || attempt >= retry.attempts) throw error;
          const { status, retryAfterMs } = error;
          if ((status !== 429 && status !== 503) || retryAfterMs === undefined) throw error;
          if (retryAfterMs > retry.longestWaitMs) throw error;
          await pause(retryAfterMs, request.signal);
        }
      }
    },
  };
}

export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function exchange(
  send: typeof fetch,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
  timeoutMs: number,
): Promise<RawAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    // ETags are handled here, so the browser's own cache must not answer as well.
    const uncached = { ...init, cache: 'no-store' as const };
    const response = await send(url, {
      ...uncached,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    // Callers who abort get their own reason back.
    if (signal?.aborted) throw signal.reason;
    const [code, detail] = timeout.aborted
      ? ['timeout', `no complete answer within ${timeoutMs} ms`]
      : ['network', 'the connection broke, or nothing listens at that address'];
    throw new TallywireError({ status: 0, code, detail, cause });
  }
}

function parseJson(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TallywireError({ status, code: 'not_json', detail: 'the answer is not JSON', cause });
  }
}

function queryText(query: Request['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}
