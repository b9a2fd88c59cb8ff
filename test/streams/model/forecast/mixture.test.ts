import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lgamma } from '../../../../streams/model/forecast/gamma-function.ts';
import { gammaTable } from '../../../../streams/model/forecast/gamma-table.ts';
import { createGather, gatherOne, poissonMixture } from '../../../../streams/model/forecast/mixture.ts';

const gather = createGather();

function negativeBinomial(count: number, mean: number, dispersion: number): number {
  const r = 1 / dispersion;
  return Math.exp(
    lgamma(count + r) -
      lgamma(r) -
      lgamma(count + 1) +
      r * Math.log(r / (r + mean)) +
      count * Math.log(mean / (r + mean)),
  );
}

describe('gamma table', () => {
  it('has mean 1 and the variance asked for, in ascending order', () => {
    for (const variance of [0.001, 0.03, 0.2, 1, 3]) {
      const table = gammaTable(variance);
      const mean = table.reduce((sum, value) => sum + value, 0) / table.length;
      const spread = table.reduce((sum, value) => sum + (value - 1) ** 2, 0) / table.length;
      assert.ok(Math.abs(mean - 1) < 1e-12);
      assert.ok(Math.abs(spread / variance - 1) < 0.01, `${variance}: ${spread}`);
      assert.ok(table.every((value, index) => value >= (table[index - 1] ?? 0)));
    }
  });

  it('is exponential at variance 1', () => {
    const table = gammaTable(1);
    for (const entry of [10, 400, 2_000, 3_500, 4_000]) {
      const expected = -Math.log(1 - (entry + 0.5) / 4_096);
      assert.ok(Math.abs((table[entry] ?? 0) / expected - 1) < 0.001);
    }
  });
});

describe('poisson mixture', () => {
  it('is Poisson for a single mean', () => {
    const means = fc.double({ min: 0.001, max: 3_000, noNaN: true });
    fc.assert(
      fc.property(means, (mean) => {
        const cumulated = poissonMixture(gatherOne(mean));
        let expected = 0;
        for (let count = 0; count < cumulated.length; count++) {
          expected += Math.exp(count * Math.log(mean) - mean - lgamma(count + 1));
          // The grid of means adds up to a hundredth to the variance.
          assert.ok(Math.abs((cumulated[count] ?? 0) - expected) < 0.002, `${mean} at ${count}`);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('is negative binomial for Gamma means', () => {
    for (const [mean, dispersion] of [
      [12, 0.4],
      [180, 0.1],
      [600, 0.05],
    ] as const) {
      const cumulated = poissonMixture(gather(gammaTable(dispersion).map((factor) => factor * mean)));
      let expected = 0;
      for (let count = 0; count < cumulated.length; count++) {
        expected += negativeBinomial(count, mean, dispersion);
        assert.ok(Math.abs((cumulated[count] ?? 0) - expected) < 0.0003, `${mean} at ${count}`);
      }
    }
  });

  it('is certain of nothing more where every mean is 0', () => {
    assert.equal(poissonMixture(gather(new Float64Array(8)))[0], 1);
  });

  it('gathers a single mean as it gathers many', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100_000, noNaN: true }), (mean) => {
        assert.deepEqual(gatherOne(mean), gather(Float64Array.of(mean)));
      }),
    );
  });
});
