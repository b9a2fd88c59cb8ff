import { clockText, countText, durationText, percentText, usdText } from './format.ts';
import type { Signals } from './state/records.ts';
import { MINUTE_MS } from './time-spans.ts';

/** What our own count knows before the oracle and the market do, as text for people. */

export type Crossing = Signals['crossings'][number];

export function crossingText(crossing: Crossing): string {
  switch (crossing.kind) {
    case 'count_left_bucket':
      return `our count of ${countText(crossing.real_counter)} is above ${crossing.bucket}, the oracle's of ${countText(crossing.market_oracle_counter)} is not, and somebody still pays ${percentText(crossing.best_bid)}${sharesText(crossing.bid_size)}. Sell Yes if held`;
    case 'oracle_stalled':
      return `the oracle stalls: ${postsText(crossing.waiting)} not counted by it, the oldest since ${clockText(crossing.since_ts)}; more than ${durationText(crossing.limit_ms)} is unusual`;
    case 'near_edge':
      return `${postsText(crossing.posts_to_next)} from ${crossing.next_bucket}: ${percentText(crossing.probability)} likely within ${Math.ceil(crossing.within_ms / MINUTE_MS)} min at the pace of the last hour`;
    case 'flip_likely':
      return `${percentText(crossing.flip_risk)} likely that another bucket settles than the counts show at the close: our ${countText(crossing.real_counter)} is in ${bucketText(crossing.real_bucket)}, the oracle's ${countText(crossing.market_oracle_counter)} in ${bucketText(crossing.oracle_bucket)}`;
  }
}

/** What it is worth and how long such a lead usually lasts, as far as that is known. */
export function crossingNote(crossing: Crossing): string {
  const gain = crossing.kind === 'count_left_bucket' ? crossing.gain_usd : null;
  const value = 'expected_value_usd' in crossing ? crossing.expected_value_usd : null;
  const { p50_ms, p90_ms } = crossing.oracle_lag;
  const worth = [
    ...(value === null ? [] : [`worth ${usdText(value)} on average`]),
    ...(gain === null ? [] : [`${usdText(gain)} if it loses`]),
  ];
  const notes = [
    ...(worth.length === 0 ? [] : [worth.join(', ')]),
    ...(p50_ms === null || p90_ms === null
      ? []
      : [
          `the oracle takes ${durationText(p50_ms)} for half of all posts, ${durationText(p90_ms)} for nine of ten`,
        ]),
  ];
  return notes.join('; ');
}

function sharesText(shares: number | null): string {
  return shares === null ? '' : ` for ${countText(Math.round(shares))} shares`;
}

function postsText(posts: number): string {
  return posts === 1 ? '1 post' : `${countText(posts)} posts`;
}

function bucketText(bucket: string | null): string {
  return bucket ?? 'no bucket';
}
