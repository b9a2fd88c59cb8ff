import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  biasAt,
  biasFactor,
  biasFactors,
  type ClosedForecast,
  madeForecast,
} from '../../../../streams/model/forecast/bias.ts';

function closed(length: number, final: (index: number) => number): ClosedForecast[] {
  const quantiles = Array.from({ length: 10 }, (_, index) => 65 + 10 * index);
  return Array.from({ length }, (_, index) => ({
    hours: 48,
    count: 10,
    mean: 100,
    quantiles,
    final: final(index),
  }));
}

describe('bias factor', () => {
  it('is 1 before 26 events have closed', () => {
    assert.equal(biasFactor(closed(25, () => 180)), 1);
  });

  it('leans towards what past events needed, by n / (n + 100)', () => {
    const factor = biasFactor(closed(50, () => 180));
    assert.ok(Math.abs(factor - (170 / 100) ** (50 / 150)) < 1e-12);
  });

  it('is 1 where correcting would not have helped', () => {
    // Too low at first, too high ever since: what was learnt then has only done harm.
    assert.equal(biasFactor(closed(60, (index) => (index < 10 ? 400 : 75))), 1);
  });

  it('is 1 where nothing happened or was expected', () => {
    assert.equal(biasFactor(closed(30, () => 10)), 1);
  });
});

describe('bias factors', () => {
  it('are learnt for each horizon by itself', () => {
    const low = closed(50, () => 180);
    const few = closed(25, () => 180).map((forecast) => ({ ...forecast, hours: 72 }));
    assert.deepEqual(biasFactors([...low, ...few]), [1, biasFactor(low), 1]);
  });

  it('are interpolated between horizons, and constant outside of them', () => {
    const at = [0, 24, 36, 48, 54, 72, 168].map((hours) => biasAt([1, 1.2, 1.1], hours));
    for (const [index, expected] of [1, 1, 1.1, 1.2, 1.175, 1.1, 1.1].entries()) {
      assert.ok(Math.abs((at[index] ?? 0) - expected) < 1e-12);
    }
  });

  it('are taken out of a corrected forecast', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.double({ min: 0.5, max: 2, noNaN: true }), (count, factor) => {
        const quantiles = Array.from({ length: 101 }, (_, percent) => count + percent);
        const corrected = quantiles.map((quantile) => count + (quantile - count) * factor);
        const plain = madeForecast(24, count, quantiles, 1);
        const made = madeForecast(24, count, corrected, factor);
        assert.ok(Math.abs(plain.mean - 50) < 1e-9 && Math.abs(made.mean - 50) < 1e-9);
        for (const [index, quantile] of plain.quantiles.entries()) {
          assert.equal(quantile, count + 5 + 10 * index);
          assert.ok(Math.abs((made.quantiles[index] ?? 0) - quantile) < 1e-9);
        }
      }),
    );
  });
});
