import { HOUR_MS } from '../durations.ts';
import { NO_BIAS } from './bias.ts';
import { solve } from './cholesky.ts';
import { FEATURES } from './features.ts';
import {
  byLogDispersion,
  byLogMean,
  type Derivatives,
  evaluateDispersion,
  evaluateMean,
} from './likelihood.ts';
import { MODEL, type ModelParams } from './params.ts';
import { DISPERSION_PRIOR, MEAN_PRIOR, type Prior } from './prior.ts';
import { type Column, DISPERSION_COLUMNS, FACTORS, MEAN_COLUMNS } from './regression.ts';
import type { AccountSeries } from './series.ts';
import { HORIZON_FACTORS, HORIZONS, type Training, trainingOf } from './training.ts';
import { wideningOf } from './widening.ts';

const MAX_ROUNDS = 25;
const MAX_STEP = 0.5;
const CLOSE_ENOUGH = 1e-6;
/** Below this step the search is close enough for the observed curvature. */
const NEAR = 0.2;

/**
 * Penalised maximum likelihood of the negative binomial regression: Fisher scoring on the mean, alternating with
 * the dispersion (MODEL 3). A history too short for any row gives the prior.
 */
export function fitModel(series: AccountSeries): ModelParams {
  const training = trainingOf(series);
  const { rows } = training;
  const mean = Float64Array.from(MEAN_PRIOR.mean);
  const dispersion = Float64Array.from(DISPERSION_PRIOR.mean);
  const mu = new Float64Array(rows);
  const phi = new Float64Array(rows);
  evaluateMean(training, mean, mu);
  evaluateDispersion(training, dispersion, phi);
  const derivatives = { slope: new Float64Array(rows), curvature: new Float64Array(rows) };
  let moved = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS && moved >= CLOSE_ENOUGH; round++) {
    const kind = moved < NEAR ? 'observed' : 'expected';
    byLogMean(training, mu, phi, derivatives);
    moved = improve(mean, MEAN_PRIOR, MEAN_COLUMNS, training, derivatives) ?? MAX_STEP;
    evaluateMean(training, mean, mu);
    byLogDispersion(training, mu, phi, kind, derivatives);
    moved = Math.max(
      moved,
      improve(dispersion, DISPERSION_PRIOR, DISPERSION_COLUMNS, training, derivatives) ?? MAX_STEP,
    );
    evaluateDispersion(training, dispersion, phi);
  }
  const widening = wideningOf(training, mu, phi);
  return {
    version: `${MODEL}+${Math.floor(series.now / HOUR_MS)}`,
    fittedAt: series.now,
    rows,
    mean: [...mean],
    dispersion: [...dispersion],
    bias: NO_BIAS,
    ...(widening && { widening }),
  };
}

/**
 * One Newton step; returns the largest change of a coefficient. Where the curvature is not that of a maximum, nothing
 * changes and undefined is returned, so that the next round uses the expected curvature again.
 */
function improve(
  coefficients: Float64Array,
  prior: Prior,
  columns: readonly Column[],
  training: Training,
  derivatives: Derivatives,
): number | undefined {
  const size = coefficients.length;
  const information = new Float64Array(size * size);
  const gradient = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    const precision = prior.precision[k] ?? 0;
    information[k * size + k] = precision;
    gradient[k] = precision * ((prior.mean[k] ?? 0) - (coefficients[k] ?? 0));
  }
  accumulate(information, gradient, columns, training, derivatives);
  const step = solve(information, gradient);
  if (step === undefined) return undefined;
  let farthest = 0;
  for (let k = 0; k < size; k++) {
    const move = Math.max(-MAX_STEP, Math.min(MAX_STEP, step[k] ?? 0));
    coefficients[k] = (coefficients[k] ?? 0) + move;
    farthest = Math.max(farthest, Math.abs(move));
  }
  return farthest;
}

/** Pairs of factors a <= b, and for each horizon their products. */
const PAIRS = (FACTORS * (FACTORS + 1)) / 2;
const PRODUCTS = Float64Array.from(
  HORIZONS.flatMap((_, horizon) => {
    const factors = [...HORIZON_FACTORS.subarray(horizon * FACTORS, (horizon + 1) * FACTORS)];
    return factors.flatMap((b, index) => factors.slice(0, index + 1).map((a) => a * b));
  }),
);

function pairOf(a: number, b: number): number {
  const high = Math.max(a, b);
  return (high * (high + 1)) / 2 + Math.min(a, b);
}

/** Adds every row to gradient and information: first sums the horizons of an origin, then the origins. */
function accumulate(
  information: Float64Array,
  gradient: Float64Array,
  columns: readonly Column[],
  training: Training,
  { slope, curvature }: Derivatives,
): void {
  const { features, firstRow, horizon, origins } = training;
  const size = columns.length;
  const pairs = Uint8Array.from(columns.flatMap((i) => columns.map((j) => pairOf(i.factor, j.factor))));
  const slopes = new Float64Array(FACTORS);
  const curvatures = new Float64Array(PAIRS);
  const values = new Float64Array(size);
  for (let origin = 0; origin < origins; origin++) {
    slopes.fill(0);
    curvatures.fill(0);
    const end = firstRow[origin + 1] ?? 0;
    for (let row = firstRow[origin] ?? 0; row < end; row++) {
      const index = horizon[row] ?? 0;
      const rowSlope = slope[row] ?? 0;
      const rowCurvature = curvature[row] ?? 0;
      for (let a = 0; a < FACTORS; a++) {
        slopes[a] = (slopes[a] ?? 0) + rowSlope * (HORIZON_FACTORS[index * FACTORS + a] ?? 0);
      }
      for (let pair = 0; pair < PAIRS; pair++) {
        curvatures[pair] = (curvatures[pair] ?? 0) + rowCurvature * (PRODUCTS[index * PAIRS + pair] ?? 0);
      }
    }
    for (let k = 0; k < size; k++) {
      const column = columns[k];
      if (column === undefined) continue;
      const value = features[origin * FEATURES + column.feature] ?? 0;
      values[k] = value;
      gradient[k] = (gradient[k] ?? 0) + (slopes[column.factor] ?? 0) * value;
    }
    for (let i = 0; i < size; i++) {
      const value = values[i] ?? 0;
      const line = i * size;
      for (let j = 0; j <= i; j++) {
        const both = (curvatures[pairs[line + j] ?? 0] ?? 0) * (values[j] ?? 0);
        information[line + j] = (information[line + j] ?? 0) + value * both;
      }
    }
  }
}
