import { TallywireError } from './error.ts';
import { createKeptAnswers } from './kept-answers.ts';
import { type Quota, quotaOf } from './quota.ts';
import { refusalOf } from './refusal.ts';

export interface RetryOptions {
  /** Further tries after an answer of 429 or 503 that says when to come again. */
  readonly attempts: number;
  /** An answer that asks for a longer wait is thrown instead. */
  readonly longestWaitMs: number;
}

export interface HttpOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`; a prefix of a proxy stays. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** For a whole call, but for the waits between tries. */
  readonly timeoutMs?: number | undefined;
  /** None unless asked for. */
  readonly retry?: RetryOptions | undefined;
  /** Answers kept with their tags. */
  readonly keptAnswers?: number | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface Request extends CallOptions {
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Sent as JSON by POST. */
  readonly body?: unknown;
  /** Statuses whose body says the same as that of a 200. */
  readonly alsoFine?: readonly number[];
}

export interface Http {
  readonly quota: Quota | undefined;
  /** The JSON of the answer; an answer of 400 or more, or none, is thrown as a TallywireError. */
  call(path: string, request?: Request): Promise<unknown>;
}

const TIMEOUT_MS = 10_000;
const KEPT_ANSWERS = 64;

export function createHttp(options: HttpOptions): Http {
  const { key, retry = { attempts: 0, longestWaitMs: 0 }, timeoutMs = TIMEOUT_MS } = options;
  const base = options.url.replace(/\/+$/, '');
  const ask = options.fetch ?? fetch;
  const kept = createKeptAnswers(options.keptAnswers ?? KEPT_ANSWERS);
  let quota: Quota | undefined;

  async function once(address: string, request: Request): Promise<unknown> {
    const { body, alsoFine = [] } = request;
    const known = body === undefined ? kept.get(address) : undefined;
    const headers: Record<string, string> = {
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(known === undefined ? {} : { 'If-None-Match': known.etag }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const answer = await exchange(
      ask,
      address,
      body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) },
      { timeoutMs, ...defined(request) },
    );
    quota = quotaOf(answer.headers) ?? quota;
    if (answer.status === 304 && known) return known.body;
    if (!(answer.status < 300 || alsoFine.includes(answer.status))) {
      throw refusalOf(answer.status, answer.headers, answer.text);
    }
    const value = fromJson(answer.text, answer.status);
    const etag = answer.headers.get('etag');
    if (etag !== null && answer.status === 200) kept.keep(address, { etag, body: value });
    return value;
  }

  return {
    get quota() {
      return quota;
    },
    async call(path, request = {}) {
      const address = `${base}/api/v1${path}${queryText(request.query)}`;
      for (let attempt = 0; ; attempt++) {
        try {
          return await once(address, request);
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

function defined({ signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

interface Exchanged {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function exchange(
  ask: typeof fetch,
  address: string,
  init: RequestInit,
  { signal, timeoutMs = TIMEOUT_MS }: CallOptions,
): Promise<Exchanged> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    // Tags are kept here, so that a browser's own cache is not asked as well.
    const asked = {
      ...init,
      cache: 'no-store' as const,
      signal: signal ? AbortSignal.any([signal, late]) : late,
    };
    const response = await ask(address, asked);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    // Given up by the caller, who gets his own reason back.
    if (signal?.aborted) throw signal.reason;
    const [code, detail] = late.aborted
      ? ['timeout', `no whole answer within ${timeoutMs} ms`]
      : ['network', 'the exchange broke, or nobody listens there'];
    throw new TallywireError({ status: 0, code, detail, cause });
  }
}

function fromJson(text: string, status: number): unknown {
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
      clearTimeout(waiting);
      reject(signal?.reason);
    };
    const waiting = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}
