import assert from 'node:assert/strict';
import { FEATURES } from '../../../../streams/model/forecast/features.ts';
import { fitModel } from '../../../../streams/model/forecast/fit.ts';
import { lgamma } from '../../../../streams/model/forecast/gamma-function.ts';
import type { ModelParams } from '../../../../streams/model/forecast/params.ts';
import { DISPERSION_PRIOR, MEAN_PRIOR, type Prior } from '../../../../streams/model/forecast/prior.ts';
import { accountSeries } from '../../../../streams/model/forecast/series.ts';
import { HORIZONS, type Training, trainingOf } from '../../../../streams/model/forecast/training.ts';
import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from './synthetic.ts';

const posts = syntheticPosts(100);
const NOW = FIRST_AT + 90 * DAY_MS + 5 * HOUR_MS;

type Coefficients = Pick<ModelParams, 'mean' | 'dispersion'>;

/** The penalised log likelihood, row by row from the formulas. */
function penalised(training: Training, { mean, dispersion }: Coefficients): number {
  let sum = 0;
  for (let origin = 0; origin < training.origins; origin++) {
    const values = [...training.features.subarray(origin * FEATURES, (origin + 1) * FEATURES)];
    const [x, z, p] = [values.slice(0, 6), values.slice(6, 8), values.slice(8, 12)];
    for (let row = training.firstRow[origin] ?? 0; row < (training.firstRow[origin + 1] ?? 0); row++) {
      const h = HORIZONS[training.horizon[row] ?? 0] ?? 0;
      const g = Math.log(h / 48);
      const recent = z.map((value) => value * Math.exp(-h / 6));
      const phase = p.map((value) => value * Math.exp(-h / 18));
      const product = (terms: readonly number[], of: readonly number[]) =>
        terms.reduce((total, value, index) => total + value * (of[index] ?? 0), 0);
      const mu = Math.exp(
        (training.offset[row] ?? 0) +
          product([...x, ...x.map((value) => value * g), ...recent, ...phase], mean),
      );
      const [, x1 = 0, , x3 = 0] = x;
      const shifts = [x1, Math.abs(x1), x3, Math.abs(x3)];
      const phi = Math.exp(
        product([1, g, g * g, values[12] ?? 0, ...phase, ...recent, ...shifts], dispersion),
      );
      const r = 1 / phi;
      const y = training.count[row] ?? 0;
      const logLikelihood =
        lgamma(y + r) - lgamma(r) - lgamma(y + 1) + r * Math.log(r / (r + mu)) + y * Math.log(mu / (r + mu));
      sum += (training.weight[row] ?? 0) * logLikelihood;
    }
  }
  const penalty = (values: readonly number[], prior: Prior) =>
    values.reduce(
      (total, value, k) => total + ((prior.precision[k] ?? 0) / 2) * (value - (prior.mean[k] ?? 0)) ** 2,
      0,
    );
  return sum - penalty(mean, MEAN_PRIOR) - penalty(dispersion, DISPERSION_PRIOR);
}

function moved(values: readonly number[], at: number, by: number): number[] {
  return values.map((value, index) => (index === at ? value + by : value));
}

describe('fit', () => {
  const series = accountSeries(posts, FIRST_AT, NOW);
  const training = trainingOf(series);
  const params = fitModel(series);

  it('learns only from targets that have come to their end', () => {
    assert.ok(training.rows > 1_500);
    assert.equal(training.rows, training.firstRow[training.origins]);
    const later = fitModel(
      accountSeries(
        posts.map((at) => (at < NOW ? at : NOW + 1)),
        FIRST_AT,
        NOW,
      ),
    );
    assert.deepEqual(later, params);
  });

  it('weighs an origin by its age and the overlap of its horizons', () => {
    const first = training.firstRow[0] ?? 0;
    const rows = (training.firstRow[1] ?? 0) - first;
    const age = (training.weight[first] ?? 0) / Math.min(1, 6 / 3);
    for (let row = first; row < first + rows; row++) {
      const h = HORIZONS[training.horizon[row] ?? 0] ?? 0;
      const expected = age * Math.min(1, (h < 72 ? 6 : 12) / h);
      assert.ok(Math.abs((training.weight[row] ?? 0) - expected) < 1e-15);
    }
    // The first settled mark is 20 days after the start, the half life 182 days.
    assert.ok(Math.abs(age - 0.5 ** (70 / 182)) < 0.01);
  });

  it('is where the penalised likelihood is highest', () => {
    const best = penalised(training, params);
    for (const name of ['mean', 'dispersion'] as const) {
      for (const index of params[name].keys()) {
        for (const by of [-0.02, 0.02]) {
          const other = penalised(training, { ...params, [name]: moved(params[name], index, by) });
          assert.ok(other < best, `${name} ${index} moved by ${by} is better by ${other - best}`);
        }
      }
    }
  }).timeout(20_000);

  it('gives the prior where there is nothing to learn from', () => {
    const { mean, dispersion, rows } = fitModel(accountSeries(posts, FIRST_AT, FIRST_AT + 10 * DAY_MS));
    assert.equal(rows, 0);
    assert.deepEqual(mean, MEAN_PRIOR.mean);
    assert.deepEqual(dispersion, DISPERSION_PRIOR.mean);
  });

  it('leaves out targets that were not seen whole', () => {
    const gap = { fromAt: NOW - 20 * DAY_MS, toAt: NOW - 19 * DAY_MS };
    const withGap = trainingOf(accountSeries(posts, FIRST_AT, NOW, [gap]));
    assert.ok(withGap.rows < training.rows - 24);
  });

  it('survives an account that never posts', () => {
    const silent = fitModel(accountSeries([], FIRST_AT, NOW));
    assert.ok([...silent.mean, ...silent.dispersion].every(Number.isFinite));
  });
});
