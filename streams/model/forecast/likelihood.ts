import { exp, ln } from './exact.ts';
import { FEATURES } from './features.ts';
import { digamma, trigamma } from './gamma-function.ts';
import { byFactor, type Column, DISPERSION_COLUMNS, FACTORS, MEAN_COLUMNS, predictor } from './regression.ts';
import { HORIZON_FACTORS, type Training } from './training.ts';

/** Derivatives of the negative binomial log likelihood of each row by its linear predictor. */
export interface Derivatives {
  readonly slope: Float64Array;
  /** Minus the second derivative, expected or observed. */
  readonly curvature: Float64Array;
}

/** Limits of ln mu and ln phi while the search is still far from the maximum. */
const LOG_LIMIT = 30;
const LOG_DISPERSION_LIMIT = 6;
const MIN_CURVATURE = 1e-9;

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

/** mu of every row. */
export function evaluateMean(training: Training, coefficients: Float64Array, mu: Float64Array): void {
  const { offset } = training;
  forEachRow(training, MEAN_COLUMNS, coefficients, (row, value) => {
    mu[row] = exp(clamp((offset[row] ?? 0) + value, LOG_LIMIT));
  });
}

/** phi of every row. */
export function evaluateDispersion(training: Training, coefficients: Float64Array, phi: Float64Array): void {
  forEachRow(training, DISPERSION_COLUMNS, coefficients, (row, value) => {
    phi[row] = exp(clamp(value, LOG_DISPERSION_LIMIT));
  });
}

function forEachRow(
  { features, firstRow, horizon, origins }: Training,
  columns: readonly Column[],
  coefficients: Float64Array,
  visit: (row: number, value: number) => void,
): void {
  const sums = new Float64Array(FACTORS);
  for (let origin = 0; origin < origins; origin++) {
    byFactor(sums, columns, coefficients, features, origin * FEATURES);
    const end = firstRow[origin + 1] ?? 0;
    for (let row = firstRow[origin] ?? 0; row < end; row++) {
      visit(row, predictor(sums, HORIZON_FACTORS, (horizon[row] ?? 0) * FACTORS));
    }
  }
}

/** By ln mu, with the expected curvature. */
export function byLogMean(training: Training, mu: Float64Array, phi: Float64Array, into: Derivatives): void {
  for (let row = 0; row < training.rows; row++) {
    const mean = mu[row] ?? 0;
    const weight = (training.weight[row] ?? 0) / (1 + (phi[row] ?? 0) * mean);
    into.slope[row] = weight * ((training.count[row] ?? 0) - mean);
    into.curvature[row] = weight * mean;
  }
}

/** By ln phi. The observed curvature converges fast, the expected one from anywhere. */
export function byLogDispersion(
  training: Training,
  mu: Float64Array,
  phi: Float64Array,
  kind: 'expected' | 'observed',
  into: Derivatives,
): void {
  for (let row = 0; row < training.rows; row++) {
    const mean = mu[row] ?? 0;
    const r = 1 / (phi[row] ?? 1);
    const y = training.count[row] ?? 0;
    const weight = training.weight[row] ?? 0;
    const total = r + mean;
    const byR = digamma(y + r) - digamma(r) + ln(r / total) + (mean - y) / total;
    into.slope[row] = -weight * r * byR;
    if (kind === 'expected') {
      // The curvature for an exactly known level, reduced by the Poisson noise.
      const seen = mean / total;
      into.curvature[row] = weight * Math.max(MIN_CURVATURE, (r * r * trigamma(r) - r) * seen * seen);
    } else {
      const twice = trigamma(y + r) - trigamma(r) + 1 / r - 1 / total - (mean - y) / (total * total);
      into.curvature[row] = -weight * (r * r * twice + r * byR);
    }
  }
}
