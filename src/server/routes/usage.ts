import { DAY_MS } from '../../../streams/internal.ts';
import type { UsageReader } from '../../access/usage/tracking.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { noQuery, usageByEndpointQuery, usageErrorsQuery, usageSummaryQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import { type Call, type Endpoint, plainAnswer } from '../answer.ts';
import { API_HEADERS, JSON_TYPE } from '../headers.ts';
import {
  usageByEndpointToWire,
  usageErrorsToWire,
  usageStatsToWire,
  usageSummaryToWire,
} from '../usage-records.ts';

interface UsageRouteDeps {
  readonly usage: UsageReader;
  readonly now: () => number;
}

/** GET /usage/…: the usage of the calling key. A request is included once it was answered. */
export function usageEndpoints({ usage, now }: UsageRouteDeps): readonly Endpoint[] {
  const endpoint = (name: string, read: (call: Call, keyId: string) => object): Endpoint => ({
    path: `${API_PREFIX}/usage/${name}`,
    access: 'INTERNAL',
    answer(call) {
      if (call.keyId === null) throw new TypeError('usage asked for without a key');
      return plainAnswer(200, JSON_TYPE, JSON.stringify(read(call, call.keyId)), API_HEADERS);
    },
  });
  return [
    endpoint('summary', ({ query }, keyId) => {
      const { days } = readQuery(usageSummaryQuery, query);
      const at = now();
      return usageSummaryToWire(at, keyId, days, usage.sum(keyId, at - days * DAY_MS, at));
    }),
    endpoint('by-endpoint', ({ query }, keyId) => {
      const span = readQuery(usageByEndpointQuery, query);
      return usageByEndpointToWire(now(), span, usage.sum(keyId, span.start * 1_000, span.end * 1_000));
    }),
    endpoint('errors', ({ query }, keyId) => {
      const { limit } = readQuery(usageErrorsQuery, query);
      return usageErrorsToWire(now(), limit, usage.errors(keyId, limit));
    }),
    endpoint('stats', ({ query }) => {
      readQuery(noQuery, query);
      return usageStatsToWire(now(), usage.stats());
    }),
  ];
}
