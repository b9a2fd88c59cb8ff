import { solve } from './cholesky.ts';
import { FEATURES } from './features.ts';
import { byLogDispersion, byLogMean, type Derivatives, evaluate } from './likelihood.ts';
import { HOUR_MS } from './new-york.ts';
import { MODEL, type ModelParams } from './params.ts';
import { DISPERSION_PRIOR, MEAN_PRIOR, type Prior } from './prior.ts';
import { type Column, DISPERSION_COLUMNS, FACTORS, MEAN_COLUMNS } from './regression.ts';
import type { AccountSeries } from './series.ts';
import { HORIZON_FACTORS, type Training, trainingOf } from './training.ts';

const MAX_ROUNDS = 25;
const MAX_STEP = 0.5;
const CLOSE_ENOUGH = 1e-6;
/** Below this step the search is near enough for the observed curvature. */
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
  const at = { mu: new Float64Array(rows), phi: new Float64Array(rows) };
  const derivatives = { slope: new Float64Array(rows), curvature: new Float64Array(rows) };
  let moved = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS && moved >= CLOSE_ENOUGH; round++) {
    const kind = moved < NEAR ? 'observed' : 'expected';
    evaluate(training, mean, dispersion, at);
    byLogMean(training, at.mu, at.phi, derivatives);
    moved = improve(mean, MEAN_PRIOR, MEAN_COLUMNS, training, derivatives) ?? MAX_STEP;
    evaluate(training, mean, dispersion, at);
    byLogDispersion(training, at.mu, at.phi, kind, derivatives);
    moved = Math.max(
      moved,
      improve(dispersion, DISPERSION_PRIOR, DISPERSION_COLUMNS, training, derivatives) ?? MAX_STEP,
    );
  }
  return {
    version: `${MODEL}+${Math.floor(series.now / HOUR_MS)}`,
    fittedAt: series.now,
    rows,
    mean: [...mean],
    dispersion: [...dispersion],
  };
}

/**
 * One Newton step; returns how far the farthest coefficient moved. Where the curvature is that of no maximum
 * nothing is moved and undefined returned, so that the next round scores with the expected one again.
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

/** Adds every row to gradient and information: first over the horizons of an origin, then over origins. */
function accumulate(
  information: Float64Array,
  gradient: Float64Array,
  columns: readonly Column[],
  training: Training,
  { slope, curvature }: Derivatives,
): void {
  const { features, firstRow, horizon, origins } = training;
  const size = columns.length;
  const feature = Uint8Array.from(columns, (column) => column.feature);
  const factor = Uint8Array.from(columns, (column) => column.factor);
  const slopes = new Float64Array(FACTORS);
  const curvatures = new Float64Array(FACTORS * FACTORS);
  const values = new Float64Array(size);
  for (let origin = 0; origin < origins; origin++) {
    slopes.fill(0);
    curvatures.fill(0);
    const end = firstRow[origin + 1] ?? 0;
    for (let row = firstRow[origin] ?? 0; row < end; row++) {
      const at = (horizon[row] ?? 0) * FACTORS;
      const rowSlope = slope[row] ?? 0;
      const rowCurvature = curvature[row] ?? 0;
      for (let a = 0; a < FACTORS; a++) {
        const value = HORIZON_FACTORS[at + a] ?? 0;
        slopes[a] = (slopes[a] ?? 0) + rowSlope * value;
        const weighted = rowCurvature * value;
        for (let b = 0; b < FACTORS; b++) {
          curvatures[a * FACTORS + b] =
            (curvatures[a * FACTORS + b] ?? 0) + weighted * (HORIZON_FACTORS[at + b] ?? 0);
        }
      }
    }
    const first = origin * FEATURES;
    for (let k = 0; k < size; k++) values[k] = features[first + (feature[k] ?? 0)] ?? 0;
    for (let i = 0; i < size; i++) {
      const value = values[i] ?? 0;
      const factorOfRow = factor[i] ?? 0;
      gradient[i] = (gradient[i] ?? 0) + (slopes[factorOfRow] ?? 0) * value;
      for (let j = 0; j <= i; j++) {
        const both = curvatures[factorOfRow * FACTORS + (factor[j] ?? 0)] ?? 0;
        information[i * size + j] = (information[i * size + j] ?? 0) + both * value * (values[j] ?? 0);
      }
    }
  }
}
