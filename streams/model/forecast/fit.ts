import { solve } from './cholesky.ts';
import { exp, ln } from './exact.ts';
import { digamma, trigamma } from './gamma-function.ts';
import { HOUR_MS } from './new-york.ts';
import { MODEL, type ModelParams } from './params.ts';
import { DISPERSION_TERMS, dot, MEAN_TERMS } from './regression.ts';
import type { AccountSeries } from './series.ts';
import { type Training, trainingOf } from './training.ts';

/** What coefficients are believed to be before any data, and how firmly. */
interface Prior {
  readonly mean: readonly number[];
  readonly precision: readonly number[];
}

const TREND_PRECISION = [12, 24, 24, 24, 24, 24];

const MEAN_PRIOR: Prior = {
  mean: [0, 0.1, 0.2, 0.5, 0.2, 0.1, ...new Array<number>(12).fill(0)],
  precision: [...TREND_PRECISION, ...TREND_PRECISION.map((value) => 2 * value), ...new Array<number>(6).fill(12)],
};
const DISPERSION_PRIOR: Prior = {
  mean: [-1.8971199848858813, -0.3, ...new Array<number>(8).fill(0)],
  precision: new Array<number>(DISPERSION_TERMS).fill(3),
};

const MAX_ROUNDS = 30;
const MAX_STEP = 0.5;
const CLOSE_ENOUGH = 1e-6;
/** ln mu and ln phi are held inside these while the search is still far off. */
const LOG_LIMIT = 30;
const LOG_DISPERSION_LIMIT = 6;

/**
 * Penalised maximum likelihood of the negative binomial regression: Fisher scoring on the mean, alternating with
 * the dispersion (MODEL 3). A history too short for any row gives the prior.
 */
export function fitModel(series: AccountSeries): ModelParams {
  const training = trainingOf(series);
  const mean = Float64Array.from(MEAN_PRIOR.mean);
  const dispersion = Float64Array.from(DISPERSION_PRIOR.mean);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const moved = Math.max(
      improve(mean, MEAN_PRIOR, training.mean, training.rows, meanScore(training, mean, dispersion)),
      improve(
        dispersion,
        DISPERSION_PRIOR,
        training.dispersion,
        training.rows,
        dispersionScore(training, mean, dispersion),
      ),
    );
    if (moved < CLOSE_ENOUGH) break;
  }
  return {
    version: `${MODEL}+${Math.floor(series.now / HOUR_MS)}`,
    fittedAt: series.now,
    rows: training.rows,
    mean: [...mean],
    dispersion: [...dispersion],
  };
}

/** The derivative of a row's log likelihood by its linear predictor, and the expected curvature. */
type Score = (row: number, into: Float64Array) => void;

function meanScore(training: Training, mean: Float64Array, dispersion: Float64Array): Score {
  return (row, into) => {
    const mu = exp(logMean(training, mean, row));
    const phi = exp(logDispersion(training, dispersion, row));
    const weight = (training.weight[row] ?? 0) / (1 + phi * mu);
    into[0] = weight * ((training.count[row] ?? 0) - mu);
    into[1] = weight * mu;
  };
}

function dispersionScore(training: Training, mean: Float64Array, dispersion: Float64Array): Score {
  return (row, into) => {
    const mu = exp(logMean(training, mean, row));
    const r = exp(-logDispersion(training, dispersion, row));
    const y = training.count[row] ?? 0;
    const weight = training.weight[row] ?? 0;
    const total = r + mu;
    const byR = digamma(y + r) - digamma(r) + ln(r / total) + (mu - y) / total;
    // The information a Gamma level would give if it were seen, less what the Poisson noise hides of it.
    const seen = mu / total;
    into[0] = -weight * r * byR;
    into[1] = weight * Math.max(1e-9, (r * r * trigamma(r) - r) * seen * seen);
  };
}

function logMean({ mean, offset }: Training, coefficients: Float64Array, row: number): number {
  const value = (offset[row] ?? 0) + dot(mean, row * MEAN_TERMS, coefficients);
  return Math.max(-LOG_LIMIT, Math.min(LOG_LIMIT, value));
}

function logDispersion({ dispersion }: Training, coefficients: Float64Array, row: number): number {
  const value = dot(dispersion, row * DISPERSION_TERMS, coefficients);
  return Math.max(-LOG_DISPERSION_LIMIT, Math.min(LOG_DISPERSION_LIMIT, value));
}

/** One step of Fisher scoring; returns how far the farthest coefficient moved. */
function improve(
  coefficients: Float64Array,
  prior: Prior,
  design: Float64Array,
  rows: number,
  score: Score,
): number {
  const size = coefficients.length;
  const information = new Float64Array(size * size);
  const gradient = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    const precision = prior.precision[k] ?? 0;
    information[k * size + k] = precision;
    gradient[k] = precision * ((prior.mean[k] ?? 0) - (coefficients[k] ?? 0));
  }
  const derivatives = new Float64Array(2);
  for (let row = 0; row < rows; row++) {
    score(row, derivatives);
    const slope = derivatives[0] ?? 0;
    const curvature = derivatives[1] ?? 0;
    const at = row * size;
    for (let i = 0; i < size; i++) {
      const value = design[at + i] ?? 0;
      gradient[i] = (gradient[i] ?? 0) + slope * value;
      const weighted = curvature * value;
      const line = i * size;
      for (let j = 0; j <= i; j++) {
        information[line + j] = (information[line + j] ?? 0) + weighted * (design[at + j] ?? 0);
      }
    }
  }
  const step = solve(information, gradient);
  let farthest = 0;
  for (let k = 0; k < size; k++) {
    const move = Math.max(-MAX_STEP, Math.min(MAX_STEP, step[k] ?? 0));
    coefficients[k] = (coefficients[k] ?? 0) + move;
    farthest = Math.max(farthest, Math.abs(move));
  }
  return farthest;
}
