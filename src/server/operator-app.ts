import { Router } from '@koa/router';
import Koa from 'koa';
import type { App } from './app.ts';
import { SECURITY_HEADERS } from './headers.ts';
import type { Operations } from './operations.ts';
import { metricsAnswer, probeEndpoints } from './routes/operator.ts';

/** The probes and the metrics without a key, for a port that only the operator reaches. */
export function createOperatorApp(
  operations: Pick<Operations, 'isLive' | 'isReady' | 'metrics'>,
  report: (error: unknown) => void,
): Pick<App, 'callback' | 'beginDrain' | 'close'> {
  const koa = new Koa();
  koa.silent = true;
  koa.on('error', report);
  const router = new Router({ sensitive: true, strict: true });
  const endpoints = [
    ...probeEndpoints(operations),
    { path: '/metrics', answer: () => metricsAnswer(operations) },
  ];
  for (const { path, answer } of endpoints) {
    router.get(path, async (ctx) => {
      const { status, headers, body } = await answer();
      ctx.status = status;
      ctx.set({ ...headers });
      ctx.body = body;
    });
  }
  koa.use(async (ctx, next) => {
    ctx.set({ ...SECURITY_HEADERS });
    await next();
  });
  koa.use(router.routes());
  return { callback: () => koa.callback(), beginDrain: () => undefined, close: () => undefined };
}
