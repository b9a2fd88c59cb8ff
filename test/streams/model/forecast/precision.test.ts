import assert from 'node:assert/strict';
import { createRng } from '../../../../src/world/rng.ts';
import { gammaTable } from '../../../../streams/model/forecast/gamma-table.ts';
import { createGather, poissonMixture } from '../../../../streams/model/forecast/mixture.ts';
import { spreadOf } from '../../../../streams/model/forecast/paths.ts';
import { probabilityIn } from '../../../../streams/model/forecast/simulate.ts';
import { simulate } from './simulated.ts';
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

/**
 * Days of equal shares together are one Gamma variable, so the model has but two factors, and four million pairs of
 * their quantiles are its exact distribution for all that buckets show.
 */
function pairedPaths(mean: number, dispersion: number, days: number): Float64Array {
  const { level, day } = spreadOf({ dispersion, shares: new Array<number>(days).fill(1 / days) });
  const levels = gammaTable(level);
  const courses = gammaTable(day / days).filter((_, entry) => entry % 4 === 0);
  const scale = (mean * courses.length) / courses.reduce((sum, course) => sum + course, 0);
  const paths = new Float64Array(levels.length * courses.length);
  for (let path = 0; path < paths.length; path++) {
    paths[path] = scale * (levels[path >>> 10] ?? 0) * (courses[path % courses.length] ?? 0);
  }
  return paths;
}

/** The root of the mean square by which the worst bucket misses what is expected, over many seeds. */
function worstError(
  mean: number,
  dispersion: number,
  shares: readonly number[],
  reference: Float64Array,
): number {
  const width = Math.max(5, Math.round(mean / 20));
  const buckets = Array.from({ length: 50 }, (_, index) => ({
    lo: width * index,
    hi: width * index + width - 1,
  }));
  const exact = { count: 0, paths: poissonMixture(createGather()(reference)), floorMedian: mean + 5 };
  const inputs = { version: '', now: FIRST_AT, endAt: FIRST_AT + shares.length * DAY_MS, count: 0 };
  const squares = buckets.map(() => 0);
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { bucketProbs } = simulate({ ...inputs, mean, dispersion, shares }, buckets, seed);
    for (const [index, bucket] of buckets.entries()) {
      const error = (bucketProbs[index] ?? 0) - probabilityIn(exact, bucket);
      squares[index] = (squares[index] ?? 0) + error ** 2 / SEEDS;
    }
  }
  return Math.sqrt(Math.max(...squares));
}

describe('simulation precision', () => {
  for (const [days, mean, dispersion] of [
    [1, 5, 0.8],
    [1, 40, 0.3],
    [2, 90, 0.2],
    [3, 150, 0.16],
    [5, 250, 0.13],
    [7, 60, 0.4],
    [7, 420, 0.11],
    [14, 800, 0.09],
    [30, 1_800, 0.08],
  ] as const) {
    it(`keeps every bucket of ${mean} posts over ${days} d within 0.1 points of 4 million paths`, () => {
      const shares = new Array<number>(days).fill(1 / days);
      const worst = worstError(mean, dispersion, shares, pairedPaths(mean, dispersion, days));
      assert.ok(worst <= 0.001, `${(100 * worst).toFixed(3)} points`);
    });
  }

  for (const [name, mean, dispersion, shares] of [
    ['a week', 300, 0.11, [0.05, 0.2, 0.14, 0.12, 0.14, 0.16, 0.19]],
    ['two days', 90, 0.2, [0.7, 0.3]],
    ['a day', 40, 0.3, [1]],
  ] as const) {
    it(`keeps every bucket of ${name} within 0.1 points of plain Monte Carlo`, () => {
      const worst = worstError(mean, dispersion, shares, plainPaths(mean, dispersion, shares));
      assert.ok(worst <= 0.001, `${(100 * worst).toFixed(3)} points`);
    }).timeout(20_000);
  }
});
