import { HOUR_MS } from './durations.ts';
import { exp } from './forecast/exact.ts';
import type { ForecastInputs } from './forecast/inputs.ts';
import { contains } from './forecast/scores.ts';
import type { CountRange, Forecast } from './forecast/simulate.ts';

interface LagPercentiles {
  readonly n: number;
  readonly p50: number | null;
  readonly p90: number | null;
}

const LEAST_LAGS = 5;

/**
 * The probability that the oracle's late corrections change the winning bucket after the close; null while its
 * lag is unknown. At the close the oracle lacks the posts that it has not read yet, and adds them later.
 */
export function flipRisk(
  { now, endAt, count, mean }: ForecastInputs,
  forecast: Forecast,
  pace: Forecast,
  buckets: readonly CountRange[],
  oracleLag: LagPercentiles | null,
): number | null {
  const lagHours = meanLagHours(oracleLag);
  if (lagHours === null) return null;
  const hours = (endAt - now) / HOUR_MS;
  if (hours <= 0) return 0;
  const expected = Math.max(mean, meanOf(pace.quantiles) - count, 0);
  return flipProbability((expected / hours) * lagHours, forecast.quantiles, buckets);
}

/**
 * The same for a known expected number of late posts, which is Poisson distributed. The winner flips when the late posts
 * lift the count over its lower bound. The result is averaged over the final counts at 1 % ... 99 %.
 */
export function flipProbability(
  expectedLate: number,
  quantiles: readonly number[],
  buckets: readonly CountRange[],
): number {
  // For each final count, how many late posts change the winner.
  const needed = quantiles.slice(1, -1).map((final) => {
    const winner = buckets.find((bucket) => contains(bucket, final));
    return winner === undefined || winner.lo <= 0 ? null : final - winner.lo + 1;
  });
  const tail = poissonTail(expectedLate, Math.max(0, ...needed.map((posts) => posts ?? 0)));
  const sum = needed.reduce<number>((total, posts) => total + (posts === null ? 0 : (tail[posts] ?? 0)), 0);
  return needed.length === 0 ? 0 : sum / needed.length;
}

/** P(N >= k) for k from 0 to `most`. */
function poissonTail(mean: number, most: number): readonly number[] {
  const tail = [1];
  let term = exp(-mean);
  let rest = 1;
  for (let k = 1; k <= most; k++) {
    rest -= term;
    tail.push(Math.max(0, rest));
    term *= mean / k;
  }
  return tail;
}

/**
 * The number of unread posts at an instant is rate x mean lag. Lags have a long tail that percentiles do not show, so
 * the mean is taken as three parts median and one part p90: for exponential lags that is 1.1 times their mean.
 */
function meanLagHours(lag: LagPercentiles | null): number | null {
  if (lag === null || lag.n < LEAST_LAGS || lag.p50 === null || lag.p90 === null) return null;
  return (0.75 * lag.p50 + 0.25 * lag.p90) / HOUR_MS;
}

function meanOf(quantiles: readonly number[]): number {
  const inner = quantiles.slice(1, -1);
  return inner.reduce((sum, value) => sum + value, 0) / Math.max(1, inner.length);
}
