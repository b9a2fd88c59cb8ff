import { API_PREFIX } from '../api-prefix.ts';
import { type Operation, PUBLIC, STATE } from '../operation.ts';
import { minutesQuery, noQuery, pastQuery, tweetsQuery } from '../params.ts';

/** Events, posts and prices (spec 4, endpoints 1 to 7). */
export const MARKETS: readonly Operation[] = [
  {
    ...STATE,
    ...PUBLIC,
    id: 'getAccounts',
    path: `${API_PREFIX}/accounts`,
    tag: 'Counters',
    summary: 'The accounts that are followed',
    description: 'Every account with its path segment, its name, what it has, and its active events.',
    query: noQuery,
    answer: 'AccountsAnswer',
  },
  {
    ...STATE,
    id: 'getCounters',
    path: `${API_PREFIX}/meta/{account}`,
    tag: 'Counters',
    access: 'public',
    isCounted: true,
    summary: 'Counters of every active event',
    description:
      'Three counts of every active event and their differences; the event that ends first comes first.',
    query: pastQuery,
    answer: 'CountersAnswer',
  },
  {
    ...STATE,
    ...PUBLIC,
    id: 'getCrypto',
    path: `${API_PREFIX}/meta/crypto`,
    tag: 'Counters',
    summary: 'Active crypto price events',
    description: 'Active crypto price events with spot, reference and market prices.',
    query: noQuery,
    answer: 'CryptoAnswer',
    refusals: ['EventsUnknown'],
  },
  {
    ...STATE,
    id: 'getTweets',
    path: `${API_PREFIX}/meta/{account}/tweets`,
    tag: 'Posts',
    access: 'tiered',
    isCounted: true,
    summary: 'Posts, newest first',
    description:
      'FREE: always the latest 15 posts, with is_counted null. PRO: pages, and whether each post counts.',
    query: tweetsQuery,
    answer: 'PostsAnswer',
  },
  {
    ...STATE,
    ...PUBLIC,
    id: 'getLag',
    path: `${API_PREFIX}/meta/{account}/lag`,
    tag: 'Posts',
    summary: 'Delays of seeing, settling and showing posts',
    description:
      'How long posts of the last 24 h took until this service saw them, the oracle counted them and the trading page showed them.',
    query: pastQuery,
    answer: 'LagAnswer',
  },
  {
    ...STATE,
    id: 'getPrediction',
    path: `${API_PREFIX}/prediction/{account}`,
    tag: 'Predictions',
    access: 'tiered',
    isCounted: true,
    summary: 'Forecast of every active event',
    description:
      'FREE: counters, time left and prices. PRO: percentiles and distribution of the count that settles, and the probability, edge and signal of every bucket.',
    query: pastQuery,
    answer: 'PredictionAnswer',
  },
  {
    ...STATE,
    id: 'getHistory',
    path: `${API_PREFIX}/history/{account}/{event}`,
    tag: 'Predictions',
    access: 'tiered',
    isCounted: true,
    summary: 'Market and model of an event over time',
    description:
      'One instant a minute while the event is active and has prices, for as long as the log is kept. FREE: counters, prices, sizes and volume of every bucket. PRO: also the probability of every bucket. An answer has up to 3,000 buckets of instants, the newest; next_to_ts says where the next page ends.',
    query: minutesQuery,
    answer: 'HistoryAnswer',
    refusals: ['EventUnknown', 'PastBusy'],
  },
];
