import { HOUR_MS } from './durations.ts';
import type { ForecastInputs } from './forecast/inputs.ts';
import { contains } from './forecast/scores.ts';
import type { CountRange, Forecast } from './forecast/simulate.ts';
import { type Pmf, pmfMean, probabilityTo } from './pmf.ts';
import { poissonTail } from './poisson-tail.ts';
import type { LagPercentiles } from './settlement.ts';

/** What keeps the counts of the close from being those that settle. */
interface AfterClose {
  /** The expected number of posts that the oracle has not read at the close. */
  readonly late: number;
  /** Settled minus own final count; null takes them for equal. */
  readonly offset: Pmf | null;
}

/** The part of a `Settlement` that matters here. */
interface SettlementPart {
  readonly oracle: number | null;
  readonly soFar: Pmf;
  readonly offset: Pmf;
}

const LEAST_LAGS = 5;

/**
 * The probability that the bucket that settles is not the one that both the oracle's count and our own count show at the
 * close; null while the oracle's lag is unknown. The oracle's count is low by the posts that it has not read by then. Our
 * own is low by posts that only the oracle counts, and high by posts that it never counts.
 */
export function flipRisk(
  { now, endAt, count, mean }: ForecastInputs,
  forecast: Forecast,
  pace: Forecast,
  buckets: readonly CountRange[],
  oracleLag: LagPercentiles | null,
  settlement: SettlementPart | null,
): number | null {
  const lagHours = meanLagHours(oracleLag);
  if (lagHours === null) return null;
  const hours = (endAt - now) / HOUR_MS;
  if (hours <= 0) return 0;
  const expected = Math.max(mean, meanOf(pace.quantiles) - count, 0);
  const late = (expected / hours) * lagHours + lateNow(settlement) * Math.max(0, 1 - hours / (2 * lagHours));
  return flipProbability({ late, offset: settlement?.offset ?? null }, forecast.quantiles, buckets);
}

/**
 * The expected number of our posts so far that the oracle has not read; none where it counts more than we do. Waits spread
 * evenly up to twice their mean.
 */
function lateNow(settlement: SettlementPart | null): number {
  if (settlement === null || settlement.oracle === null) return 0;
  return Math.max(0, pmfMean(settlement.soFar) - settlement.oracle);
}

/**
 * The same for a known expected number of late posts, which is Poisson distributed, and a known offset, both independent
 * of the count that settles. The result is averaged over the settled counts at 1 % ... 99 %.
 */
export function flipProbability(
  { late, offset }: AfterClose,
  quantiles: readonly number[],
  buckets: readonly CountRange[],
): number {
  const inner = quantiles.slice(1, -1);
  const winners = inner.map((final) => buckets.find((bucket) => contains(bucket, final)));
  // The bucket at 0 has no other below it.
  const downOf = (final: number, lo: number) => (lo <= 0 ? Number.POSITIVE_INFINITY : final - lo + 1);
  const most = inner.map((final, index) => downOf(final, winners[index]?.lo ?? 0)).filter(Number.isFinite);
  const tail = poissonTail(late, Math.max(0, ...most));
  const sum = inner.reduce((total, final, index) => {
    const winner = winners[index];
    if (winner === undefined) return total;
    const down = downOf(final, winner.lo);
    const byLate = tail[down] ?? 0;
    const byOffset =
      offset === null ? 0 : leaves(offset, down, winner.hi === null ? null : winner.hi - final + 1);
    return total + byLate + (1 - byLate) * byOffset;
  }, 0);
  return inner.length === 0 ? 0 : sum / inner.length;
}

/** The probability that our own count lies `down` or more below the settled one, or `up` or more above it. */
function leaves(offset: Pmf, down: number, up: number | null): number {
  const below = Number.isFinite(down) ? 1 - probabilityTo(offset, down - 1) : 0;
  const above = up === null ? 0 : probabilityTo(offset, -up);
  return Math.max(0, below) + above;
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
