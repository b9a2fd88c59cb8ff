import assert from 'node:assert/strict';
import fc from 'fast-check';
import { crps } from '../../../streams/model/forecast/scores.ts';
import { quantileCrps, quantilePit } from '../../../streams/model/quantile-scores.ts';
import { simulate, simulator } from './forecast/simulated.ts';

const constant = new Array<number>(101).fill(50);
const even = Array.from({ length: 101 }, (_, percent) => percent * 10);
const anyQuantiles = fc
  .array(fc.nat({ max: 500 }), { minLength: 101, maxLength: 101 })
  .map((values) => values.toSorted((a, b) => a - b));

describe('quantileCrps', () => {
  it('is the distance of a bare number', () => {
    assert.ok(Math.abs(quantileCrps(constant, 50)) < 1e-12);
    assert.ok(Math.abs(quantileCrps(constant, 57) - 7) < 1e-9);
    assert.ok(Math.abs(quantileCrps(constant, 41) - 9) < 1e-9);
  });

  it('is near the score taken from the whole distribution', () => {
    const inputs = {
      version: 'v',
      now: 0,
      endAt: 86_400_000,
      count: 30,
      mean: 60,
      dispersion: 0.1,
      shares: [1],
    };
    const final = simulator(inputs, 7);
    const { quantiles } = simulate(inputs, [], 7);
    for (const actual of [30, 60, 90, 110, 160]) {
      const whole = crps(final, actual);
      assert.ok(Math.abs(quantileCrps(quantiles, actual) - whole) < 0.03 * whole + 0.2, `at ${actual}`);
    }
  });

  it('is never negative, and least for no forecast but the truth', () => {
    fc.assert(
      fc.property(anyQuantiles, fc.nat({ max: 600 }), (quantiles, actual) => {
        const truth = new Array<number>(101).fill(actual);
        assert.ok(quantileCrps(quantiles, actual) >= quantileCrps(truth, actual) - 1e-9);
      }),
    );
  });
});

describe('quantilePit', () => {
  it('reads the level off the quantiles', () => {
    assert.ok(Math.abs(quantilePit(even, 500) - 0.5) < 1e-12);
    assert.ok(Math.abs(quantilePit(even, 505) - 0.505) < 1e-12);
    assert.equal(quantilePit(even, 1_001), 1);
    assert.equal(quantilePit(even, -1), 0);
    assert.ok(Math.abs(quantilePit(constant, 50) - 0.5) < 1e-12);
    assert.equal(quantilePit(constant, 49), 0);
  });

  it('lies in 0..1 and never falls as the outcome rises', () => {
    fc.assert(
      fc.property(anyQuantiles, fc.nat({ max: 600 }), fc.nat({ max: 50 }), (quantiles, actual, more) => {
        const [low, high] = [quantilePit(quantiles, actual), quantilePit(quantiles, actual + more)];
        assert.ok(low >= 0 && high <= 1 && low <= high);
      }),
    );
  });
});
