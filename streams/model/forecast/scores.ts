import { ln } from './exact.ts';
import { type CountRange, type FinalCount, probabilityIn, probabilityUpTo } from './simulate.ts';

/** The least probability in a log score. Only a bucket that cannot win has less. */
const LEAST_PROBABILITY = 1e-9;

/** Continuous ranked probability score in posts: 0 is perfect, and a bare number scores its distance. */
export function crps(final: FinalCount, actual: number): number {
  const end = Math.max(actual, final.count + final.paths.length);
  let sum = 0;
  for (let value = Math.min(actual, final.count); value < end; value++) {
    const distance = probabilityUpTo(final, value) - (value >= actual ? 1 : 0);
    sum += distance * distance;
  }
  return sum;
}

/** Minus the log of the probability given to what happened. */
export function logScore(probability: number): number {
  return -ln(Math.max(LEAST_PROBABILITY, probability));
}

/** The bucket with this count when all buckets are `width` wide. */
export function bucketOf(count: number, width: number): CountRange {
  const lo = Math.floor(count / width) * width;
  return { lo, hi: lo + width - 1 };
}

export function contains({ lo, hi }: CountRange, count: number): boolean {
  return count >= lo && (hi === null || count <= hi);
}

/** Brier score over all buckets of a partition, 0 to 2. */
export function brier(
  buckets: readonly CountRange[],
  probabilities: readonly number[],
  actual: number,
): number {
  return buckets.reduce((sum, bucket, index) => {
    const distance = (probabilities[index] ?? 0) - (contains(bucket, actual) ? 1 : 0);
    return sum + distance * distance;
  }, 0);
}

/** The place of the outcome in the distribution, 0 to 1, with half of its own probability: uniform for right forecasts. */
export function pit(final: FinalCount, actual: number): number {
  return probabilityUpTo(final, actual - 1) + probabilityIn(final, { lo: actual, hi: actual }) / 2;
}

/** The greatest distance of ascending values in 0..1 from a uniform distribution (Kolmogorov and Smirnov). */
export function distanceFromUniform(ascending: readonly number[]): number {
  const n = ascending.length;
  return ascending.reduce(
    (most, value, index) => Math.max(most, value - index / n, (index + 1) / n - value),
    0,
  );
}

/** 95 % interval of a statistic by resampling whole blocks, as forecasts of one window are not independent. */
export function bootstrapInterval<Block>(
  blocks: readonly Block[],
  statistic: (drawn: readonly Block[]) => number,
  seed = 1,
  rounds = 1_000,
): readonly [low: number, high: number] | null {
  if (blocks.length < 2) return null;
  let state = seed >>> 0;
  const values = Array.from({ length: rounds }, () => {
    const drawn = blocks.map((block) => {
      state = (state + 0x9e3779b9) >>> 0;
      let h = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
      h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
      const unit = ((h ^ (h >>> 16)) >>> 0) / 4_294_967_296;
      return blocks[Math.floor(unit * blocks.length)] ?? block;
    });
    return statistic(drawn);
  }).sort((a, b) => a - b);
  const at = (share: number) => values[Math.floor(share * (rounds - 1))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}
