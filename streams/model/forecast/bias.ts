import { exp, ln } from './exact.ts';

/** A forecast of one horizon group whose window has closed, oldest first in a list. */
export interface ClosedForecast {
  /** Posts counted when it was made. */
  readonly count: number;
  readonly final: number;
  /** Expected remainder, before any correction. */
  readonly mean: number;
  /** Quantiles of the final count at evenly spaced levels, before any correction. */
  readonly quantiles: readonly number[];
}

const LEAST_EVENTS = 26;
const SHRINKAGE = 100;

/**
 * The factor for the expected remainder that past events of a horizon group suggest: 1 with fewer than 26 of them,
 * and 1 unless correcting each of them by those before it would have lowered their score (MODEL 3).
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

/** The pinball loss over all quantiles, in proportion to the CRPS, with the remainder multiplied by `factor`. */
function quantileScore({ count, final, quantiles }: ClosedForecast, factor: number): number {
  return quantiles.reduce((sum, quantile, index) => {
    const level = (index + 0.5) / quantiles.length;
    const distance = final - (count + (quantile - count) * factor);
    return sum + (distance >= 0 ? level * distance : (level - 1) * distance);
  }, 0);
}
