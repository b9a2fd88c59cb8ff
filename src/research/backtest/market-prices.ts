import {
  brier,
  type CountRange,
  contains,
  crps,
  DAY_MS,
  type FinalCount,
  logScore,
  probabilityIn,
  quantileOf,
} from '../../../streams/internal.ts';
import { readNumbers } from './csv.ts';
import type { Window } from './windows.ts';

/** The price of a bucket at a time. */
export interface BucketPrice extends CountRange {
  readonly at: number;
  readonly price: number;
}

/**
 * The market's probabilities and ours, scored on the market's buckets. From `crps` on, the market's probability is spread
 * evenly over the counts of each bucket.
 */
export interface MarketScore {
  readonly logScore: number;
  readonly logScoreModel: number;
  readonly brier: number;
  readonly brierModel: number;
  readonly crps: number;
  readonly crpsModel: number;
  readonly isCovered: boolean;
  /** Error of the market's median as a share of the final count. */
  readonly ape: number;
}

/** Older prices are ignored. */
const MAX_AGE_MS = DAY_MS;

/**
 * Reads `ts,bucket_lo,bucket_hi,price` (an empty `bucket_hi` has no upper end). With the columns `start_ts,end_ts`
 * a price belongs to that window; without them to every window that is open at `ts`. Returns the prices of each
 * window, ascending by time.
 */
export async function readPrices(path: string, windows: readonly Window[]): Promise<BucketPrice[][]> {
  const rows = await readNumbers(path, {
    required: ['ts', 'bucket_lo', 'price'],
    optional: ['bucket_hi', 'start_ts', 'end_ts'],
  });
  const sorted = rows.toSorted(([a], [b]) => (a ?? 0) - (b ?? 0));
  return windows.map(({ startAt, endAt }) =>
    sorted.flatMap(([at, lo, price, hi, start, end]) => {
      const time = at ?? 0;
      const isOfWindow =
        start == null || end == null ? time >= startAt && time < endAt : start === startAt && end === endAt;
      return isOfWindow ? [{ at: time, lo: lo ?? 0, hi: hi ?? null, price: price ?? 0 }] : [];
    }),
  );
}

/** Null where the market had no prices at `now`, or none for the bucket that won. */
export function scoreMarket(
  prices: readonly BucketPrice[],
  now: number,
  outlook: FinalCount,
  final: number,
): MarketScore | null {
  const newest = new Map<number, BucketPrice>();
  for (const each of prices) {
    if (each.at > now) break;
    if (now - each.at <= MAX_AGE_MS) newest.set(each.lo, each);
  }
  const buckets = [...newest.values()].sort((a, b) => a.lo - b.lo);
  const total = buckets.reduce((sum, { price }) => sum + price, 0);
  const winner = buckets.find((bucket) => contains(bucket, final));
  if (winner === undefined || total <= 0) return null;
  const market = buckets.map(({ price }) => price / total);
  const model = buckets.map((bucket) => probabilityIn(outlook, bucket));
  const priced = spreadEvenly(buckets, market);
  return {
    logScore: logScore(winner.price / total),
    logScoreModel: logScore(probabilityIn(outlook, winner)),
    brier: brier(buckets, market, final),
    brierModel: brier(buckets, model, final),
    crps: crps(priced, final),
    crpsModel: crps(outlook, final),
    isCovered: final >= quantileOf(priced, 0.05) && final <= quantileOf(priced, 0.95),
    ape: Math.abs(quantileOf(priced, 0.5) - final) / Math.max(1, final),
  };
}

/** The probability of single counts from ascending buckets. One without an upper end is as wide as the one before it. */
function spreadEvenly(buckets: readonly CountRange[], probabilities: readonly number[]): FinalCount {
  const count = buckets[0]?.lo ?? 0;
  const probability: number[] = [];
  let width = 1;
  for (const [index, { lo, hi }] of buckets.entries()) {
    width = hi === null ? width : hi - lo + 1;
    for (let offset = 0; offset < width; offset++) {
      probability[lo - count + offset] = (probabilities[index] ?? 0) / width;
    }
  }
  let sum = 0;
  const paths = Float64Array.from({ length: probability.length }, (_, index) => {
    sum += probability[index] ?? 0;
    return Math.min(1, sum);
  });
  paths[paths.length - 1] = 1;
  return { count, paths, floorMedian: null };
}
