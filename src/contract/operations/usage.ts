import { API_PREFIX } from '../api-prefix.ts';
import { ONCE, type Operation } from '../operation.ts';
import { noQuery, usageByEndpointQuery, usageErrorsQuery, usageSummaryQuery } from '../params.ts';

const INTERNAL = { ...ONCE, tag: 'Usage', access: 'INTERNAL', isCounted: true } as const;
/** Read from the store. */
const STORED = { ...INTERNAL, refusals: ['StoreDamaged'] } as const;

/** Usage of a key (spec 4, endpoints 17 to 20). */
export const USAGE: readonly Operation[] = [
  {
    ...STORED,
    id: 'getUsageSummary',
    path: `${API_PREFIX}/usage/summary`,
    summary: 'Usage of the calling key',
    description: 'Requests, errors, mean time and bytes of the calling key over the last days.',
    query: usageSummaryQuery,
    answer: 'UsageSummary',
  },
  {
    ...STORED,
    id: 'getUsageByEndpoint',
    path: `${API_PREFIX}/usage/by-endpoint`,
    summary: 'Usage of the calling key by endpoint',
    description: 'Requests, errors, mean time and bytes of the calling key per endpoint, over any period.',
    query: usageByEndpointQuery,
    answer: 'UsageByEndpoint',
  },
  {
    ...STORED,
    id: 'getUsageErrors',
    path: `${API_PREFIX}/usage/errors`,
    summary: 'Newest errors of the calling key',
    description: 'Requests that were answered with a status of 400 or more, newest first.',
    query: usageErrorsQuery,
    answer: 'UsageErrors',
  },
  {
    ...INTERNAL,
    id: 'getUsageStats',
    path: `${API_PREFIX}/usage/stats`,
    summary: 'How usage is recorded',
    description: 'State of the buffer and settings of the recording, for all keys together.',
    query: noQuery,
    answer: 'UsageStats',
  },
];
