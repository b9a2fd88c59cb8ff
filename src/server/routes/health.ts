import { API_PREFIX } from '../../contract/api-prefix.ts';
import { noQuery } from '../../contract/params.ts';
import { type Endpoint, plainAnswer } from '../answer.ts';
import { withCheckedQuery } from '../checked-query.ts';
import { API_HEADERS, JSON_TYPE } from '../headers.ts';
import type { Operations } from '../operations.ts';

const UNAVAILABLE_HEADERS = { ...API_HEADERS, 'Retry-After': '5' };

/** GET /health (spec 2.7, endpoint 13). The metrics have more details. */
export function healthEndpoint(operations: Operations, now: () => number): Endpoint {
  return {
    path: `${API_PREFIX}/health`,
    access: 'open',
    answer: withCheckedQuery(noQuery, () => {
      const health = operations.health();
      const body = JSON.stringify({ timestamp: now(), ...health });
      return health.status === 'unavailable'
        ? plainAnswer(503, JSON_TYPE, body, UNAVAILABLE_HEADERS)
        : plainAnswer(200, JSON_TYPE, body, API_HEADERS);
    }),
  };
}
