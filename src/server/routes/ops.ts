import { Router } from '@koa/router';
import type { LoopDelay } from '../../observability/loop-delay.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Vitals } from '../../observability/vitals.ts';
import { type Answer, serve } from '../answer.ts';
import { JSON_TYPE, SECURITY_HEADERS } from '../headers.ts';
import { plainAnswer } from '../plain-answer.ts';

/** A process whose loop stood still this long is of no use to anyone. */
const DEAD_LOOP_MS = 5_000;

/** GET /livez, /readyz and /metrics: for the operator, outside the API. Liveness does not depend on sources. */
export function opsRoutes(vitals: Vitals, metrics: Metrics, loop: LoopDelay): Router {
  const router = new Router({ sensitive: true, strict: true });
  router.get('/livez', (ctx) => serve(ctx, verdict(loop.worstMs() < DEAD_LOOP_MS, 'alive', 'stalled')));
  router.get('/readyz', (ctx) => serve(ctx, verdict(vitals.isReady(), 'ready', 'not_ready')));
  router.get('/metrics', async (ctx) => {
    serve(ctx, plainAnswer(200, metrics.contentType, await metrics.text(), SECURITY_HEADERS));
  });
  return router;
}

function verdict(isGood: boolean, good: string, bad: string): Answer {
  const body = JSON.stringify({ status: isGood ? good : bad });
  return isGood
    ? plainAnswer(200, JSON_TYPE, body, SECURITY_HEADERS)
    : plainAnswer(503, JSON_TYPE, body, { ...SECURITY_HEADERS, 'Retry-After': '5' });
}
