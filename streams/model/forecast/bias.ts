import { HORIZON_HOURS } from '../horizons.ts';
import { exp, ln } from './exact.ts';

/** The part of a forecast, before any correction, that is needed to learn from it after its window has closed. */
export interface MadeForecast {
  /** One of `HORIZON_HOURS`. */
  readonly hours: number;
  /** The count when it was made, as far as it settles. */
  readonly count: number;
  /** Expected remainder. */
  readonly mean: number;
  /** Quantiles of the final count at 5 %, 15 %, ... 95 %. */
  readonly quantiles: readonly number[];
}

export interface ClosedForecast extends MadeForecast {
  readonly final: number;
}

/** Factors of the expected remainder at each of `HORIZON_HOURS`. */
export const NO_BIAS: readonly number[] = HORIZON_HOURS.map(() => 1);

const LEAST_EVENTS = 26;
const SHRINKAGE = 100;

/** `quantiles` are those at 0 %, 1 %, ... 100 % of a forecast that was corrected by `factor`. */
export function madeForecast(
  hours: number,
  count: number,
  quantiles: readonly number[],
  factor: number,
): MadeForecast {
  const uncorrected = quantiles.map((quantile) => count + (quantile - count) / factor);
  const inner = uncorrected.slice(1, -1).reduce((sum, quantile) => sum + quantile - count, 0);
  const ends = (uncorrected[0] ?? count) + (uncorrected.at(-1) ?? count) - 2 * count;
  return {
    hours,
    count,
    mean: (inner + ends / 2) / (quantiles.length - 1),
    quantiles: uncorrected.filter((_, percent) => percent % 10 === 5),
  };
}

/** One factor for each of `HORIZON_HOURS`; forecasts are ordered by when their windows closed. */
export function biasFactors(closed: readonly ClosedForecast[]): readonly number[] {
  return HORIZON_HOURS.map((hours) => biasFactor(closed.filter((forecast) => forecast.hours === hours)));
}

/** The factor at a distance from the close, interpolated between those of `HORIZON_HOURS` so that it never jumps. */
export function biasAt(factors: readonly number[], hours: number): number {
  const next = HORIZON_HOURS.findIndex((each) => each >= hours);
  if (next === -1) return factors.at(-1) ?? 1;
  const [low = hours, high = hours] = [HORIZON_HOURS[next - 1], HORIZON_HOURS[next]];
  const [from = 1, to = 1] = [factors[Math.max(0, next - 1)], factors[next]];
  return next === 0 ? to : from + ((to - from) * (hours - low)) / (high - low);
}

/**
 * The factor that past events suggest at one horizon: 1 with fewer than 26 events, and 1 unless correcting each event by
 * the factor of the earlier ones would have lowered the score (MODEL 3).
 */
export function biasFactor(closed: readonly ClosedForecast[]): number {
  if (closed.length < LEAST_EVENTS) return 1;
  let actual = 0;
  let predicted = 0;
  let gain = 0;
  closed.forEach((forecast, index) => {
    const factor = shrunkFactor(actual, predicted, index);
    gain += quantileScore(forecast, 1) - quantileScore(forecast, factor);
    actual += forecast.final - forecast.count;
    predicted += forecast.mean;
  });
  return gain > 0 ? shrunkFactor(actual, predicted, closed.length) : 1;
}

function shrunkFactor(actual: number, predicted: number, n: number): number {
  if (!(actual > 0 && predicted > 0)) return 1;
  return exp((n / (n + SHRINKAGE)) * ln(actual / predicted));
}

/** The pinball loss over all quantiles, which is proportional to the CRPS, with the remainder multiplied by `factor`. */
function quantileScore({ count, final, quantiles }: ClosedForecast, factor: number): number {
  return quantiles.reduce((sum, quantile, index) => {
    const level = (index + 0.5) / quantiles.length;
    const distance = final - (count + (quantile - count) * factor);
    return sum + (distance >= 0 ? level * distance : (level - 1) * distance);
  }, 0);
}
