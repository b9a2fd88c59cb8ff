import type { Pmf } from '../pmf.ts';
import type { ForecastInputs } from './inputs.ts';
import { createGather, poissonMixture } from './mixture.ts';
import { createPathMeans, tablesOf } from './paths.ts';

/** Final counts that win, both ends included; `hi` is null for no upper end. */
export interface CountRange {
  readonly lo: number;
  readonly hi: number | null;
}

export interface Forecast {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  /** At 0 %, 1 %, ... 100 %, where the ends stand for 0.05 % and 99.95 %. */
  readonly quantiles: readonly number[];
  /** One for each bucket, in their order; 0 for one that can no longer win, and for no other. */
  readonly bucketProbs: readonly number[];
}

/** The cumulative distribution of the final count. */
export interface FinalCount {
  readonly count: number;
  /** P(remainder <= k) of the simulated paths. */
  readonly paths: Float64Array;
  /** Median of the wide floor, or null for a closed window, which has none. */
  readonly floorMedian: number | null;
}

/** The share of a wide distribution mixed in, so that no possible bucket has probability zero (MODEL 1.5). */
const FLOOR_SHARE = 0.001;
const END_LEVEL = 0.0005;

/**
 * The distribution of the final count: the present count plus the remainder on the simulated paths. The same seed gives
 * the same digits.
 */
type Simulator = (inputs: ForecastInputs, seed: number) => FinalCount;

/** A simulator with buffers of half a megabyte, which every call reuses. */
export function createSimulator(): Simulator {
  const pathMeans = createPathMeans();
  const gather = createGather();
  return (inputs, seed) => {
    const { count, mean } = inputs;
    if (inputs.now >= inputs.endAt) return { count, paths: Float64Array.of(1), floorMedian: null };
    const paths = poissonMixture(gather(pathMeans(inputs, tablesOf(inputs), seed)));
    return { count, paths, floorMedian: mean + 5 };
  };
}

/** The same remainder after an uncertain count so far, where `least` is the lowest count that is still possible. */
export function startingFrom(
  { paths, floorMedian }: Pick<FinalCount, 'paths' | 'floorMedian'>,
  soFar: Pmf,
  least: number,
): FinalCount {
  const sums = new Float64Array(soFar.least - least + soFar.probs.length - 1 + paths.length);
  soFar.probs.forEach((prob, index) => {
    const from = soFar.least - least + index;
    for (let value = from; value < sums.length; value++) {
      sums[value] = (sums[value] ?? 0) + prob * (paths[value - from] ?? 1);
    }
  });
  return { count: least, paths: sums, floorMedian };
}

/** P(final <= value). */
export function probabilityUpTo({ count, paths, floorMedian }: FinalCount, value: number): number {
  const remainder = Math.floor(value) - count;
  if (remainder < 0) return 0;
  const simulated = remainder >= paths.length ? 1 : (paths[remainder] ?? 1);
  if (floorMedian === null) return simulated;
  const floor = 1 - floorMedian / (floorMedian + remainder + 1);
  return simulated + FLOOR_SHARE * (floor - simulated);
}

/** The least final count that is not exceeded with probability `level`, for levels below 1. */
export function quantileOf(final: FinalCount, level: number): number {
  let low = final.count;
  let width = 1;
  while (probabilityUpTo(final, low + width) < level) width *= 2;
  let high = low + width;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (probabilityUpTo(final, middle) < level) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function probabilityIn(final: FinalCount, { lo, hi }: CountRange): number {
  const below = lo <= 0 ? 0 : probabilityUpTo(final, lo - 1);
  return Math.max(0, (hi === null ? 1 : probabilityUpTo(final, hi)) - below);
}

/** The published figures of a distribution. */
export function forecastOf(final: FinalCount, buckets: readonly CountRange[]): Forecast {
  const quantiles = Array.from({ length: 101 }, (_, percent) =>
    quantileOf(final, Math.max(END_LEVEL, Math.min(1 - END_LEVEL, percent / 100))),
  );
  return {
    p5: quantileOf(final, 0.05),
    p50: quantileOf(final, 0.5),
    p95: quantileOf(final, 0.95),
    quantiles,
    bucketProbs: buckets.map((bucket) => probabilityIn(final, bucket)),
  };
}
