import { type Book, evaluateBucket, type ReasonCode, stakeOf } from '../model/bucket-signal.ts';
import { canStillWin } from '../model/can-still-win.ts';
import { round4 } from '../model/decimals.ts';
import { moneyness } from '../model/moneyness.ts';
import { withinCap } from '../model/sizing.ts';
import type { Bucket } from '../observation.ts';
import type { PredictedBucket } from '../records.ts';
import type { BucketSignal } from '../signal-records.ts';

interface BucketFacts {
  /** The buckets of the event, lowest first. */
  readonly buckets: readonly Bucket[];
  /** The oracle's count; null while it is unknown. */
  readonly oracle: number | null;
  readonly predicted: readonly PredictedBucket[] | null;
  /** Why the event has no probabilities, if it has none. */
  readonly obstacle: ReasonCode | null;
  readonly p50: number | null;
  readonly bookOf: (token: string) => Book | undefined;
}

interface CachedSignal {
  readonly bucket: Bucket;
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

/** The signals of the buckets that can still win, lowest first. Their stakes together stay within the cap. */
export function bucketSignals(facts: BucketFacts, cache: BucketCache): readonly BucketSignal[] {
  const probs = probsOf(facts, cache);
  const evaluated: BucketSignal[] = [];
  facts.buckets.forEach((bucket, place) => {
    if (!canStillWin(bucket, facts.oracle)) return;
    evaluated.push(signalOf(facts, bucket, place, probs[place] ?? null, cache));
  });
  const stakes = withinCap(evaluated.map(({ stake }) => stake));
  return evaluated.map((signal, place) => {
    const stake = stakes[place] ?? 0;
    return stake === signal.stake ? signal : { ...signal, stake };
  });
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
  { buckets, obstacle, p50, bookOf }: BucketFacts,
  bucket: Bucket,
  place: number,
  known: number | null,
  { last }: BucketCache,
): BucketSignal {
  const { title, yesToken: token, lo, hi } = bucket;
  const prob = obstacle === null ? known : null;
  const book = bookOf(token);
  const before = last.get(token);
  if (
    before?.bucket === bucket &&
    before.prob === prob &&
    before.book === book &&
    before.obstacle === obstacle &&
    before.p50 === p50
  ) {
    return before.signal;
  }
  const { action, codes, ...figures } = evaluateBucket(prob, book);
  const depth = p50 === null ? null : moneyness(p50, bucket, buckets[place - 1]);
  const signal: BucketSignal = {
    title,
    token,
    lo,
    hi,
    ...figures,
    action: prob === null ? 'SKIP' : action,
    codes: prob === null ? [obstacle ?? 'NO_FORECAST', ...codes] : codes,
    moneyness: depth === null ? null : round4(depth),
    stake: prob === null ? 0 : stakeOf({ action, codes, ...figures }),
  };
  last.set(token, { bucket, prob, book, obstacle, p50, signal });
  return signal;
}
