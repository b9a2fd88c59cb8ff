import { lookup } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { retryAfterMs } from '../resilience/retry-after.ts';
import { isPrivateAddress, namesPrivateAddress } from './private-address.ts';

/** What is sent to a receiver. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of it. `isFinal`: another try would be refused in the same way, here and not by the receiver. */
export type PostOutcome =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false;
      readonly failure: string;
      readonly isFinal: boolean;
      /** How long the receiver asks us to wait. */
      readonly retryAfterMs: number | undefined;
    };

interface PostOptions {
  readonly timeoutMs: number;
  /** Whether private addresses are allowed. */
  readonly allowsPrivate: boolean;
  readonly signal: AbortSignal;
  /** Looks up the addresses of a name; that of the system unless given. */
  readonly lookupAll?: LookupAll;
}

/** What the system's own look-up does when it is asked for all addresses. */
export type LookupAll = (
  host: string,
  done: (
    error: NodeJS.ErrnoException | null,
    addresses: readonly { readonly address: string; readonly family: number }[],
  ) => void,
) => void;

const systemLookup: LookupAll = (host, done) => lookup(host, { all: true }, done);

/** More of an answer is not read. */
const MOST_BYTES = 64 * 1024;

class PrivateAddress extends Error {}

/** Posts to one host, whatever it answers; follows no redirect. Never rejects. */
export async function post({ url, headers, body }: Post, options: PostOptions): Promise<PostOutcome> {
  const { timeoutMs, allowsPrivate, signal, lookupAll = systemLookup } = options;
  if (!allowsPrivate && namesPrivateAddress(url)) return refused(new URL(url).hostname);
  const timeout = AbortSignal.timeout(timeoutMs);
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  try {
    const { status, answer } = await exchange(
      () =>
        start(url, {
          method: 'POST',
          headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
          // A connection of its own, whose address was checked for this very delivery.
          agent: false,
          signal: AbortSignal.any([signal, timeout]),
          ...(!allowsPrivate && { lookup: checkedLookup(lookupAll) }),
        }),
      body,
    );
    if (status >= 200 && status < 300) return { isDelivered: true };
    const waitMs = retryAfterMs(status, { get: (name) => String(answer.headers[name] ?? '') }, Date.now());
    return failed(`the receiver answered ${status}`, waitMs);
  } catch (error) {
    if (error instanceof PrivateAddress) return refused(error.message);
    if (timeout.aborted) return failed(`no answer within ${timeoutMs} ms`);
    return failed(reasonOf(error));
  }
}

function failed(failure: string, waitMs?: number): PostOutcome {
  return { isDelivered: false, failure, isFinal: false, retryAfterMs: waitMs };
}

function refused(host: string): PostOutcome {
  const failure = `${host} is a private address, where nothing is delivered`;
  return { isDelivered: false, failure, isFinal: true, retryAfterMs: undefined };
}

/** The connection is made to the very addresses that are checked here, so that a name cannot change in between. */
function checkedLookup(lookupAll: LookupAll): LookupFunction {
  return (host, options, callback) =>
    lookupAll(host, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        callback(error ?? new Error(`${host} has no address`), '');
        return;
      }
      if (addresses.some(({ address }) => isPrivateAddress(address))) callback(new PrivateAddress(host), '');
      else if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
}

function exchange(
  start: () => ClientRequest,
  body: string,
): Promise<{ readonly status: number; readonly answer: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const sent = start();
    sent.once('error', reject);
    sent.once('response', (answer) => {
      let bytes = 0;
      const status = answer.statusCode ?? 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MOST_BYTES) return;
        resolve({ status, answer });
        sent.destroy();
      });
      answer.once('end', () => resolve({ status, answer }));
      answer.once('error', reject);
      answer.once('close', () => reject(new Error('the connection ended before the answer did')));
    });
    sent.end(body);
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.message;
}
