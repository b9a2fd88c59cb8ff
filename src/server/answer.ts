import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { EndpointAccess } from '../access/gate.ts';
import type { Tier } from '../access/tiers.ts';

/** What an endpoint may know of a request. */
export interface Call {
  /** Raw query, without `?`. */
  readonly query: string;
  /** Public id of the caller's key; null without one. */
  readonly keyId: string | null;
  readonly ifNoneMatch: string | undefined;
}

/** A whole response. Headers are complete but for `Date` and those of the connection. */
export interface Answer<Body = string> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The same body where most of it is bytes already: what was made for this call, all ASCII, and what follows. */
  readonly parts?: { readonly head: string; readonly tail: Buffer };
}

/** Where something is served, for whom, and whether it counts towards the hourly limit. */
export interface Door extends EndpointAccess {
  /** The whole path, without parameters. */
  readonly path: string;
}

/**
 * A GET that is answered at once from what is in memory, to a caller who was let in. The same object is served
 * by Koa and by the table in front of it. A caller's fault is thrown as a RequestError.
 */
export interface Endpoint extends Door {
  answer(call: Call, tier: Tier): Answer;
}

/** A request whose answer has to be waited for. Koa alone serves it. */
export interface SlowEndpoint extends Door {
  readonly method: 'GET' | 'POST';
  answer(call: Call, tier: Tier, ctx: Context): Promise<Answer>;
}

/** A GET of a file that everyone may have, in whichever form he can read. Koa alone serves it. */
export interface FileEndpoint extends Door {
  readonly access: 'open';
  answer(call: Call, ctx: Context): Promise<Answer<Buffer>>;
}

export function callOf({ url = '', headers }: IncomingMessage, keyId: string | null): Call {
  return { query: queryOf(url), keyId, ifNoneMatch: headers['if-none-match'] };
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end);
}

/** Hands an answer to Koa, byte for byte what the table in front of it would send. */
export function serve(ctx: Context, { status, headers, body }: Answer<string | Buffer>): void {
  ctx.status = status;
  ctx.set({ ...headers });
  if (status !== 304) ctx.body = body;
}
