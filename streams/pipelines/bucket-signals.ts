import {
  type Book,
  evaluateBucket,
  probNow,
  type ReasonCode,
  type Standing,
  standingOf,
} from '../model/bucket-signal.ts';
import { round4 } from '../model/decimals.ts';
import { moneyness } from '../model/moneyness.ts';
import type { Bucket } from '../observation.ts';
import type { PredictedBucket } from '../records.ts';
import type { BucketSignal } from '../signal-records.ts';

interface BucketFacts {
  /** The buckets of the event, lowest first. */
  readonly buckets: readonly Bucket[];
  /** Our own count and the oracle's; null while unknown. */
  readonly real: number | null;
  readonly oracle: number | null;
  readonly predicted: readonly PredictedBucket[] | null;
  /** Our own count when the forecast was made. */
  readonly forecastCount: number;
  /** Why the event has no probabilities, if it has none. */
  readonly obstacle: ReasonCode | null;
  readonly p50: number | null;
  readonly bookOf: (token: string) => Book | undefined;
}

interface CachedSignal {
  readonly bucket: Bucket;
  readonly standing: Standing;
  readonly prob: number | null;
  readonly book: Book | undefined;
  readonly obstacle: ReasonCode | null;
  readonly p50: number | null;
  readonly signal: BucketSignal;
}

/**
 * The last signals of an event's buckets. Prices come often and each changes one bucket of many, so the signals of the
 * others are reused. The cache never changes a result and can be emptied at any time.
 */
export interface BucketCache {
  buckets: readonly Bucket[] | null;
  predicted: readonly PredictedBucket[] | null;
  probs: readonly (number | null)[];
  readonly last: Map<string, CachedSignal>;
}

export function emptyBucketCache(): BucketCache {
  return { buckets: null, predicted: null, probs: [], last: new Map() };
}

/** The signals of all buckets, lowest first. */
export function bucketSignals(facts: BucketFacts, cache: BucketCache): readonly BucketSignal[] {
  const probs = probsOf(facts, cache);
  return facts.buckets.map((bucket, place) => signalOf(facts, bucket, place, probs[place] ?? null, cache));
}

/** The probability of each bucket. The market may have changed its buckets since the forecast, so only equal ranges match. */
function probsOf({ buckets, predicted }: BucketFacts, cache: BucketCache): readonly (number | null)[] {
  if (cache.buckets !== buckets || cache.predicted !== predicted) {
    const probs = new Map(predicted?.map(({ lo, hi, prob }) => [`${lo} ${hi}`, prob]));
    cache.probs = buckets.map(({ lo, hi }) => probs.get(`${lo} ${hi}`) ?? null);
    cache.buckets = buckets;
    cache.predicted = predicted;
  }
  return cache.probs;
}

function signalOf(
  { buckets, real, oracle, forecastCount, obstacle, p50, bookOf }: BucketFacts,
  bucket: Bucket,
  place: number,
  forecast: number | null,
  { last }: BucketCache,
): BucketSignal {
  const { title, yesToken: token, noToken, lo, hi } = bucket;
  const standing = standingOf(bucket, real, oracle);
  const prob =
    obstacle !== null || forecast === null ? null : probNow(forecast, bucket, standing, forecastCount);
  const book = bookOf(token);
  const why = obstacle ?? (forecast === null ? 'NO_FORECAST' : 'FORECAST_BEHIND_COUNT');
  const before = last.get(token);
  if (
    before?.bucket === bucket &&
    before.standing === standing &&
    before.prob === prob &&
    before.book === book &&
    before.obstacle === why &&
    before.p50 === p50
  ) {
    return before.signal;
  }
  const evaluated = evaluateBucket(prob, book, standing, bucket.fee);
  const depth = p50 === null ? null : moneyness(p50, bucket, buckets[place - 1]);
  // Field by field: it is made for each price, and copying an object as a whole takes several times as long.
  const signal: BucketSignal = {
    title,
    token,
    noToken,
    lo,
    hi,
    standing: evaluated.standing,
    prob: evaluated.prob,
    price: evaluated.price,
    bid: evaluated.bid,
    ask: evaluated.ask,
    bidSize: evaluated.bidSize,
    askSize: evaluated.askSize,
    edge: evaluated.edge,
    edgeNet: evaluated.edgeNet,
    action: evaluated.action,
    codes: prob === null ? [why, ...evaluated.codes] : evaluated.codes,
    kelly: evaluated.kelly,
    noKelly: evaluated.noKelly,
    fee: evaluated.fee,
    moneyness: depth === null ? null : round4(depth),
  };
  last.set(token, { bucket, standing, prob, book, obstacle: why, p50, signal });
  return signal;
}
