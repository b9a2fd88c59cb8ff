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

const DAY_S = DAY_MS / 1_000;

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
      // The present second is included, so that every request is that was answered.
      const end = Math.floor(at / 1_000) + 1;
      return usageSummaryToWire(at, keyId, days, usage.sum(keyId, end - days * DAY_S, end));
    }),
    endpoint('by-endpoint', ({ query }, keyId) => {
      const span = readQuery(usageByEndpointQuery, query);
      return usageByEndpointToWire(now(), span, usage.sum(keyId, span.start, span.end));
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
