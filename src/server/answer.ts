import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { EndpointAccess } from '../access/gate.ts';
import type { Tier } from '../access/tiers.ts';

/** The parts of a request that an endpoint may use. */
export interface Call {
  /** Raw query, without `?`. */
  readonly query: string;
  /** Public id of the caller's key; null without one. */
  readonly keyId: string | null;
  readonly ifNoneMatch: string | undefined;
}

/** A whole response. Only `Date` and the headers of the hourly limit and the connection are added later. */
export interface Answer<Body = string> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The same body in two parts, when most of it is encoded already. `head` is ASCII. */
  readonly parts?: { readonly head: string; readonly tail: Buffer };
  /** Whether the body is kept for as long as the process runs, so that an answer that waits takes no memory for it. */
  readonly isKept?: boolean;
}

/** A path, who may call it, and whether calls count towards the hourly limit. */
export interface Route extends EndpointAccess {
  /** The whole path, without the query. */
  readonly path: string;
  /** The path with `{account}` in the place of the segment, if it is that of an account. */
  readonly template?: string;
  /** Whether it is about what a key keeps, so that no payment buys it; false unless given. */
  readonly isOfKey?: boolean;
}

/**
 * A GET that is answered at once from memory, for a caller who was admitted. Koa and the table in front of it serve the
 * same object. It throws a RequestError when the request is at fault.
 */
export interface Endpoint extends Route {
  answer(call: Call, tier: Tier): Answer;
}

/** The parts of Koa's context that an endpoint may read. */
export type RequestContext = Pick<Context, 'req' | 'res' | 'acceptsEncodings'>;

/** A request whose answer takes time. Koa alone serves it. */
export interface SlowEndpoint extends Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  answer(call: Call, tier: Tier, ctx: RequestContext): Promise<Answer>;
}

/** A GET whose answer takes time and depends on nothing but the call, so that another process can make it. */
export interface PlainEndpoint extends Route {
  readonly method: 'GET';
  answer(call: Call, tier: Tier): Promise<Answer>;
}

/** The last segment of the path of such endpoints. */
const EVENT_SEGMENT = '{event}';

/** The endpoints of all events of an account: their path ends with `{event}`. */
export interface EventEndpoints extends Route {
  readonly method: 'GET';
  /** The endpoint of one event, as its path names it. */
  of(event: string): PlainEndpoint;
}

/** The path with `{event}` in the place of its last segment, and that segment. */
export function eventPathOf(path: string): { readonly path: string; readonly event: string } {
  const end = path.lastIndexOf('/') + 1;
  return { path: path.slice(0, end) + EVENT_SEGMENT, event: path.slice(end) };
}

/** A public file, in an encoding that the caller accepts. Koa alone serves it. */
export interface FileEndpoint extends Route {
  readonly method: 'GET';
  readonly access: 'open';
  answer(call: Call, tier: Tier, ctx: RequestContext): Promise<Answer<string | Buffer>>;
}

export function callOf({ url = '', headers }: IncomingMessage, keyId: string | null): Call {
  return { query: queryOf(url), keyId, ifNoneMatch: headers['if-none-match'] };
}

/** The length of the body that a GET gets. */
export function bodyBytes({ headers }: Answer<unknown>): number {
  return Number(headers['Content-Length'] ?? 0);
}

/** The raw query of a target, without `?`. What follows a `#` is for the client alone. */
export function queryOf(url: string): string {
  const end = url.indexOf('#');
  const target = end < 0 ? url : url.slice(0, end);
  const start = target.indexOf('?');
  return start < 0 ? '' : target.slice(start + 1);
}

/** An answer that no cache may keep. */
export function plainAnswer(
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Answer {
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': contentType,
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
    },
    body,
  };
}
