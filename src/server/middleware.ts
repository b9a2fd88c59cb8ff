import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { RequestError } from '../errors.ts';
import { serve } from './answer.ts';
import { internalError, refusal } from './error-answer.ts';
import { API_HEADERS, PREFLIGHT_HEADERS, SECURITY_HEADERS } from './headers.ts';
import { API_PREFIX } from './paths.ts';

/** Turns what a handler throws into its answer. What is not a caller's fault is told on the app, to be logged. */
export const answerErrors: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const refused = refusal(error);
    if (refused === undefined) ctx.app.emit('error', error, ctx);
    serve(ctx, refused ?? internalError());
  }
};

export const setHeaders: Middleware = (ctx, next) => {
  ctx.set(ctx.path.startsWith(`${API_PREFIX}/`) ? { ...API_HEADERS } : { ...SECURITY_HEADERS });
  return next();
};

/** `routes` are the paths known; all others share one name, so that a scan of paths cannot fill the memory. */
export function countRequests(
  routes: ReadonlySet<string>,
  served: (route: string, status: number, ms: number) => void,
): Middleware {
  return async (ctx, next) => {
    const startedMs = performance.now();
    await next();
    served(routes.has(ctx.path) ? ctx.path : 'unknown', ctx.status, performance.now() - startedMs);
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
