import { type Answer, plainAnswer, type SlowEndpoint } from '../answer.ts';
import { JSON_TYPE, SECURITY_HEADERS } from '../headers.ts';
import type { Operations } from '../operations.ts';

/** Not part of the API: callers are not identified, and calls are not limited. A refusal would cost as much. */
interface ProbeEndpoint {
  readonly path: string;
  answer(): Answer;
}

/** GET /livez and /readyz. */
export function probeEndpoints(
  operations: Pick<Operations, 'isLive' | 'isReady' | 'unready'>,
): readonly ProbeEndpoint[] {
  return [
    { path: '/livez', answer: () => probeAnswer(operations.isLive(), 'alive', 'stalled') },
    {
      path: '/readyz',
      answer: () => probeAnswer(operations.isReady(), 'ready', 'not_ready', operations.unready?.()),
    },
  ];
}

function probeAnswer(isGood: boolean, good: string, bad: string, reason?: string): Answer {
  const body = JSON.stringify(isGood ? { status: good } : { status: bad, ...(reason && { reason }) });
  return isGood
    ? plainAnswer(200, JSON_TYPE, body, SECURITY_HEADERS)
    : plainAnswer(503, JSON_TYPE, body, { ...SECURITY_HEADERS, 'Retry-After': '5' });
}

/** GET /metrics on the port that anyone reaches. */
export function metricsEndpoint(operations: Operations): SlowEndpoint {
  return {
    method: 'GET',
    path: '/metrics',
    access: 'INTERNAL',
    isCounted: false,
    answer: () => metricsAnswer(operations),
  };
}

export async function metricsAnswer(operations: Pick<Operations, 'metrics'>): Promise<Answer> {
  const { contentType, text } = await operations.metrics();
  return plainAnswer(200, contentType, text, SECURITY_HEADERS);
}
