import { DAY_MS } from '../../../streams/internal.ts';
import { NOON } from '../../support/outputs.ts';

/** The fields that counters and predictions share, of the event and the counters that `outputs.ts` makes. */
export const COUNTER_FIELDS = {
  event_id: 1,
  event_title: 'Posts of account A',
  event_slug: 'posts-of-a',
  image: 'https://market.invalid/a.png',
  start_ts: NOON - DAY_MS,
  end_ts: NOON + DAY_MS,
  market_oracle_counter: 10,
  real_counter: 13,
  market_ui_counter: 11,
  settlement_delta: 3,
  display_delta: 2,
  internal_delta: 1,
  deleted_count: 2,
  via: 'timeline',
  stale: [],
  history_percent: 100,
};
