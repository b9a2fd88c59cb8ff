import type { RecordOf } from '../../contract/record-of.ts';
import type {
  countLeftBucketRecord,
  crossingRecord,
  flipLikelyRecord,
  nearEdgeRecord,
  oracleStalledRecord,
} from '../../contract/records/crossings.ts';
import type { percentilesRecord } from '../../contract/records/lag.ts';

export type Crossing = RecordOf<typeof crossingRecord>;
type Wordless<C> = C extends unknown ? Omit<C, 'text'> : never;

/** A crossing with its sentence, at an instant. */
export function worded(crossing: Wordless<Crossing>, now: number): Crossing {
  switch (crossing.kind) {
    case 'count_left_bucket':
      return { ...crossing, text: leftBucket(crossing) };
    case 'oracle_stalled':
      return { ...crossing, text: stalled(crossing, now) };
    case 'near_edge':
      return { ...crossing, text: nearEdge(crossing) };
    case 'flip_likely':
      return { ...crossing, text: flip(crossing) };
  }
}

function leftBucket(crossing: Omit<RecordOf<typeof countLeftBucketRecord>, 'text'>): string {
  const { real_counter, market_oracle_counter, bucket, best_bid, bid_size, gain_usd } = crossing;
  const shares = bid_size === null ? '' : ` for ${bid_size} shares`;
  const gain =
    gain_usd === null ? '' : `, a gain of ${gain_usd} USD after the fee if the oracle comes to the same`;
  return `our own count of ${real_counter} is above ${bucket}, the oracle's of ${market_oracle_counter} is not, and somebody still bids ${best_bid}${shares}${gain}; ${leads(crossing.oracle_lag)}`;
}

function leads({ n, p50_ms, p90_ms }: RecordOf<typeof percentilesRecord>): string {
  if (p50_ms === null || p90_ms === null) return 'how long the oracle takes is not known';
  return `the oracle took ${duration(p50_ms)} for half of the last ${n} posts and ${duration(p90_ms)} for nine of ten`;
}

function stalled(
  { waiting, since_ts, limit_ms, ...purchase }: Omit<RecordOf<typeof oracleStalledRecord>, 'text'>,
  now: number,
): string {
  return `${posts(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for the oracle, the oldest for ${duration(now - since_ts)}: more than ${duration(limit_ms)} is unusual${worth(purchase)}`;
}

type Purchase = Pick<
  RecordOf<typeof oracleStalledRecord>,
  'bucket' | 'best_ask' | 'ask_size' | 'expected_value_usd'
>;

/** Nothing of a purchase that is not worth its cost. */
function worth({ bucket, best_ask, ask_size, expected_value_usd }: Purchase): string {
  if (expected_value_usd === null) return '';
  return `; by the forecast ${ask_size} shares of ${bucket} at ${best_ask} are worth ${expected_value_usd} USD more than they cost`;
}

function nearEdge(crossing: Omit<RecordOf<typeof nearEdgeRecord>, 'text'>): string {
  const { posts_to_next, next_bucket, probability, within_ms, velocity_counted_1h } = crossing;
  return `${posts(posts_to_next)} from ${next_bucket}: ${probability} in the next ${duration(within_ms)} at the rate of the last hour, ${posts(velocity_counted_1h)}`;
}

function flip(crossing: Omit<RecordOf<typeof flipLikelyRecord>, 'text'>): string {
  const { flip_risk, real_counter, real_bucket, market_oracle_counter, oracle_bucket } = crossing;
  return `${flip_risk} that another bucket settles than the counts show at the close: our own ${real_counter} is in ${real_bucket ?? 'no bucket'}, the oracle's ${market_oracle_counter} in ${oracle_bucket ?? 'no bucket'}${worth(crossing)}`;
}

function posts(n: number): string {
  return n === 1 ? '1 post' : `${n} posts`;
}

/** Seconds up to two minutes, then minutes. */
function duration(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}
