import {
  brier,
  type CountRange,
  contains,
  crps,
  type FinalCount,
  logPool,
  logScore,
  MINUTE_MS,
  probabilityIn,
  quantileOf,
} from '../../../streams/internal.ts';
import type { PriceHistory } from './price-files.ts';

/** A price that was known to hold longer ago says nothing about what the market knew at an instant. */
export const MAX_PRICE_AGE_MS = 2 * MINUTE_MS;

/**
 * The market's probabilities, ours and the log pool of both, scored on the market's buckets. From `crps` on, the market's and
 * the pool's probability is spread evenly over the counts of each bucket.
 */
export interface MarketScore {
  readonly logScore: number;
  readonly logScoreModel: number;
  readonly logScorePool: number;
  readonly brier: number;
  readonly brierModel: number;
  readonly brierPool: number;
  readonly crps: number;
  readonly crpsModel: number;
  readonly crpsPool: number;
  readonly isCovered: boolean;
  /** Error of the market's median as a share of the final count. */
  readonly ape: number;
}

/** The probability that the market gives to a bucket. */
interface PricedBucket extends CountRange {
  readonly prob: number;
}

/**
 * The market at an instant, lowest bucket first: null unless every bucket that had a price so far has one that is young
 * enough, as what is left out would raise the others.
 */
export function marketAt({ prices, isOfChanges }: PriceHistory, now: number): PricedBucket[] | null {
  const newest = new Map<number, PriceHistory['prices'][number]>();
  let heardAt = Number.NEGATIVE_INFINITY;
  for (const each of prices) {
    if (each.at > now) break;
    newest.set(each.lo, each);
    heardAt = each.at;
  }
  const buckets = [...newest.values()].sort((a, b) => a.lo - b.lo);
  const isYoung = ({ at }: { readonly at: number }) => now - (isOfChanges ? heardAt : at) <= MAX_PRICE_AGE_MS;
  const total = buckets.reduce((sum, { price }) => sum + (price ?? 0), 0);
  if (!(total > 0) || !buckets.every((bucket) => bucket.price !== null && isYoung(bucket))) return null;
  return buckets.map(({ lo, hi, price }) => ({ lo, hi, prob: (price ?? 0) / total }));
}

/** Null where the market had no prices of that instant, none for the bucket that won, or excludes what the model expects. */
export function scoreMarket(
  history: PriceHistory,
  now: number,
  outlook: FinalCount,
  final: number,
): MarketScore | null {
  const buckets = marketAt(history, now);
  const winner = buckets?.find((bucket) => contains(bucket, final));
  if (!buckets || winner === undefined) return null;
  const market = buckets.map(({ prob }) => prob);
  const model = buckets.map((bucket) => probabilityIn(outlook, bucket));
  const pool = logPool(model, market);
  if (pool === null) return null;
  const priced = spreadEvenly(buckets, market);
  return {
    logScore: logScore(winner.prob),
    logScoreModel: logScore(probabilityIn(outlook, winner)),
    logScorePool: logScore(pool[buckets.indexOf(winner)] ?? 0),
    brier: brier(buckets, market, final),
    brierModel: brier(buckets, model, final),
    brierPool: brier(buckets, pool, final),
    crps: crps(priced, final),
    crpsModel: crps(outlook, final),
    crpsPool: crps(spreadEvenly(buckets, pool), final),
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
