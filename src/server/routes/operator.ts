import { type Answer, plainAnswer } from '../answer.ts';
import { JSON_TYPE, SECURITY_HEADERS } from '../headers.ts';
import type { Operations } from '../operations.ts';

/** Not part of the API: callers are not identified, and calls are not limited. */
interface OperatorEndpoint {
  readonly path: string;
  answer(): Answer | Promise<Answer>;
}

/** GET /livez, /readyz and /metrics. */
export function operatorEndpoints(operations: Operations): readonly OperatorEndpoint[] {
  return [
    { path: '/livez', answer: () => probeAnswer(operations.isLive(), 'alive', 'stalled') },
    { path: '/readyz', answer: () => probeAnswer(operations.isReady(), 'ready', 'not_ready') },
    {
      path: '/metrics',
      async answer() {
        const { contentType, text } = await operations.metrics();
        return plainAnswer(200, contentType, text, SECURITY_HEADERS);
      },
    },
  ];
}

function probeAnswer(isGood: boolean, good: string, bad: string): Answer {
  const body = JSON.stringify({ status: isGood ? good : bad });
  return isGood
    ? plainAnswer(200, JSON_TYPE, body, SECURITY_HEADERS)
    : plainAnswer(503, JSON_TYPE, body, { ...SECURITY_HEADERS, 'Retry-After': '5' });
}
