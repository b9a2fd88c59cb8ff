import { MOST_LISTED_ACCOUNTS } from '../account.ts';
import { API_PREFIX } from '../api-prefix.ts';
import { type Operation, PUBLIC, STATE } from '../operation.ts';
import { accountQuery, historyQuery } from '../params.ts';

const SCORES = { ...STATE, ...PUBLIC, tag: 'Performance' } as const;

/** How good the forecasts were (spec 4, endpoints 15 and 16). */
export const PERFORMANCE: readonly Operation[] = [
  {
    ...SCORES,
    id: 'getPerformanceOverview',
    path: `${API_PREFIX}/performance/overview`,
    summary: 'Errors of the forecasts',
    description: `Error of the median 24, 48 and 72 h before the close over all settled events, live and back-filled forecasts together and apart, and how often BUY signals given live won. Of more than ${MOST_LISTED_ACCOUNTS} accounts the track record of each is in the answer for that account alone.`,
    query: accountQuery,
    answer: 'PerformanceOverview',
  },
  {
    ...SCORES,
    id: 'getPerformanceHistory',
    path: `${API_PREFIX}/performance/history`,
    summary: 'Error of every settled event',
    description:
      'One sample per settled event and account, ordered by close; forecasts that are void; and every version of the model.',
    query: historyQuery,
    answer: 'PerformanceHistory',
  },
  {
    ...SCORES,
    id: 'getCalibration',
    path: `${API_PREFIX}/performance/calibration`,
    summary: 'How reliable the probabilities are',
    description: `Coverage, CRPS, log score and Brier score compared with pace and market, with 95 % intervals, for all accounts together and for each. Of more than ${MOST_LISTED_ACCOUNTS} accounts those of each are in the answer for that account alone.`,
    query: accountQuery,
    answer: 'Calibration',
    refusals: ['ScoresUnknown'],
  },
];
