import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { UsageRecorder } from '../access/usage/recorder.ts';
import { API_PREFIX } from '../contract/api-prefix.ts';
import { RequestError } from '../errors.ts';
import { API_HEADERS, PAGE_HEADERS, PREFLIGHT_HEADERS, SECURITY_HEADERS } from './headers.ts';
import { serveError, type VisitState } from './request-protocol.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Turns what a handler throws into its answer. */
export const answerErrors: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    serveError(ctx, error);
  }
};

/** Takes the leave for pages of other sites off whatever is answered on these paths. */
export function keepFromPages(paths: ReadonlySet<string>): Middleware {
  return async (ctx, next) => {
    await next();
    if (paths.has(ctx.path)) for (const name of PAGE_HEADERS) ctx.remove(name);
  };
}

export const setHeaders: Middleware = (ctx, next) => {
  ctx.set(ctx.path.startsWith(`${API_PREFIX}/`) ? { ...API_HEADERS } : { ...SECURITY_HEADERS });
  return next();
};

/** `routes` are the paths known; all others share one name, so that a scan of paths cannot fill the memory. */
export function countRequests(
  routes: ReadonlySet<string>,
  served: (route: string, status: number, ms: number) => void,
  recorder: UsageRecorder,
): Middleware {
  return async (ctx, next) => {
    const startedMs = performance.now();
    await next();
    const route = routes.has(ctx.path) ? ctx.path : 'unknown';
    const ms = performance.now() - startedMs;
    const { keyId = null, message = '' }: VisitState = ctx.state;
    const hasBody = ctx.method !== 'HEAD' && ctx.status !== 304;
    served(route, ctx.status, ms);
    // A method is any word a caller likes; only those of ours are kept.
    const method = METHODS.has(ctx.method) ? ctx.method : 'OTHER';
    recorder.record(route, method, ctx.status, ms, hasBody ? (ctx.response.length ?? 0) : 0, keyId, message);
  };
}

/** Whatever no route took: a browser asking first, a wrong method, or a path that does not exist. */
export function refuseUnmatched(router: Router): Middleware {
  return (ctx) => {
    const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods));
    if (methods.size === 0) throw new RequestError(404, 'not_found', 'Not Found');
    const allow = [...methods, 'OPTIONS'].sort().join(', ');
    if (ctx.method !== 'OPTIONS') {
      throw new RequestError(405, 'method_not_allowed', 'Method Not Allowed', { Allow: allow });
    }
    ctx.status = 204;
    ctx.set('Allow', allow);
    if (ctx.path.startsWith(`${API_PREFIX}/`)) {
      ctx.set({ ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Methods': allow });
    }
  };
}
