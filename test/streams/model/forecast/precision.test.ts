import assert from 'node:assert/strict';
import { createRng } from '../../../../src/world/rng.ts';
import { poissonMixture } from '../../../../streams/model/forecast/mixture.ts';
import { spreadOf } from '../../../../streams/model/forecast/paths.ts';
import { probabilityIn, simulate } from '../../../../streams/model/forecast/simulate.ts';
import { DAY_MS, FIRST_AT } from './synthetic.ts';

const PLAIN_PATHS = 250_000;
const SEEDS = 12;

type Rng = ReturnType<typeof createRng>;

/** A Gamma variable with mean 1, by squeezing a normal one (shape at least 1). */
function gammaWithMeanOne(shape: number, rng: Rng): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = rng.normal();
    const v = (1 + c * normal) ** 3;
    if (v > 0 && Math.log(1 - rng.next()) < 0.5 * normal * normal + d - d * v + d * Math.log(v))
      return (d * v) / shape;
  }
}

/** The same model drawn plainly, path by path. */
function plainPaths(mean: number, dispersion: number, shares: readonly number[]): Float64Array {
  const rng = createRng('plain');
  const { level, day } = spreadOf({ dispersion, shares });
  return Float64Array.from({ length: PLAIN_PATHS }, () => {
    let days = 0;
    for (const share of shares) days += share * gammaWithMeanOne(1 / day, rng);
    return mean * gammaWithMeanOne(1 / level, rng) * days;
  });
}

describe('simulation precision', () => {
  for (const [name, mean, dispersion, shares] of [
    ['a week', 300, 0.11, [0.15, 0.14, 0.14, 0.14, 0.14, 0.14, 0.15]],
    ['two days', 90, 0.2, [0.5, 0.5]],
    ['a day', 40, 0.3, [1]],
  ] as const) {
    it(`keeps every bucket of ${name} within 0.1 points of plain Monte Carlo`, () => {
      const buckets = Array.from({ length: 30 }, (_, index) => ({ lo: 20 * index, hi: 20 * index + 19 }));
      const paths = poissonMixture(plainPaths(mean, dispersion, shares));
      const plain = { count: 0, paths, floorMedian: mean + 5 };
      const expected = buckets.map((bucket) => probabilityIn(plain, bucket));
      const inputs = { version: '', now: FIRST_AT, endAt: FIRST_AT + shares.length * DAY_MS, count: 0 };
      const squares = buckets.map(() => 0);
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { bucketProbs } = simulate({ ...inputs, mean, dispersion, shares }, buckets, seed);
        for (const [index, probability] of bucketProbs.entries()) {
          squares[index] = (squares[index] ?? 0) + (probability - (expected[index] ?? 0)) ** 2 / SEEDS;
        }
      }
      const worst = Math.sqrt(Math.max(...squares));
      assert.ok(worst <= 0.001, `${(100 * worst).toFixed(3)} points`);
    }).timeout(20_000);
  }
});
