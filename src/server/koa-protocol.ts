import type { Middleware } from 'koa';
import { bodyBytes } from './answer.ts';
import { withoutCorsHeaders } from './headers.ts';
import { markKeptBody } from './kept-body.ts';
import type { Outcome, RequestProtocol } from './request-protocol.ts';

export interface RequestState {
  outcome?: Outcome;
  /** What it is recorded under, where that is not its path. */
  route?: string;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Sends and records the outcome of a route, with the same bytes as the table in front of Koa. `routes` are the known
 * paths; all others are recorded under one name, so that a scan of paths cannot fill the memory. Pages of other sites
 * may not read what is served at `internalPaths`.
 */
export function sendOutcomes(
  protocol: RequestProtocol,
  routes: ReadonlySet<string>,
  internalPaths: ReadonlySet<string>,
): Middleware<RequestState> {
  return async (ctx, next) => {
    const startedMs = performance.now();
    const outcome = await next().then(
      () => ctx.state.outcome ?? protocol.fail(new TypeError('a route left no outcome'), null),
      (error: unknown) => protocol.fail(error, null),
    );
    const { answer, callHeaders } = outcome;
    ctx.status = answer.status;
    ctx.set({ ...(internalPaths.has(ctx.path) ? withoutCorsHeaders(answer.headers) : answer.headers) });
    if (answer.status !== 204 && answer.status !== 304) ctx.body = answer.body;
    if (answer.isKept) markKeptBody(ctx.res);
    for (let at = 0; at < callHeaders.length; at += 2) {
      ctx.set(callHeaders[at] ?? '', callHeaders[at + 1] ?? '');
    }
    const route = ctx.state.route ?? (routes.has(ctx.path) ? ctx.path : 'unknown');
    // A caller may send any word as the method, and only known ones are recorded.
    const method = METHODS.has(ctx.method) ? ctx.method : 'OTHER';
    protocol.record(route, method, startedMs, outcome, bodyBytes(answer));
  };
}
