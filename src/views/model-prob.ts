import {
  type Counters,
  type PredictedBucket,
  type Prediction,
  probNow,
  standingOf,
} from '../../streams/internal.ts';

/**
 * The probability of a bucket by the newest forecast and the counts of now, as in the signals, but also while an input is
 * stale: a record says which are. Null when the count has passed the bucket since the forecast.
 */
export function modelProb(
  bucket: PredictedBucket,
  { count }: Prediction,
  counters: Counters | undefined,
): number | null {
  const standing = standingOf(bucket, counters?.real ?? null, counters?.oracle ?? null);
  return probNow(bucket.prob, bucket, standing, count);
}
