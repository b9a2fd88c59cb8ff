import assert from 'node:assert/strict';
import fc from 'fast-check';
import { logPool } from '../../../../streams/model/forecast/log-pool.ts';

const probs = fc
  .array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })
  .map((weights) => {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });

describe('the log pool', () => {
  it('is the normalised geometric mean', () => {
    const pooled = logPool([0.8, 0.2], [0.2, 0.8]);
    assert.deepEqual(pooled, [0.5, 0.5]);
    const [first = 0, second = 0] = logPool([0.9, 0.1], [0.5, 0.5]) ?? [];
    assert.ok(Math.abs(first / second - 3) < 1e-12);
  });

  it('rules out what either rules out, and is none where they exclude one another', () => {
    assert.deepEqual(logPool([0.5, 0.5, 0], [0, 0.5, 0.5]), [0, 1, 0]);
    assert.equal(logPool([1, 0], [0, 1]), null);
    assert.equal(logPool([], []), null);
    assert.equal(logPool([Number.NaN, 1], [0.5, 0.5]), null);
  });

  it('sums to one, is symmetric, and is each forecast with itself', () =>
    fc.assert(
      fc.property(probs, probs, (one, other) => {
        const pooled = logPool(one, other) ?? [];
        assert.ok(Math.abs(pooled.reduce((sum, prob) => sum + prob, 0) - 1) < 1e-12);
        assert.deepEqual(logPool(other, one), pooled);
        for (const [index, prob] of (logPool(one, one) ?? []).entries())
          assert.ok(Math.abs(prob - (one[index] ?? 0)) < 1e-12);
      }),
    ));

  it('never has a worse log score than the worse of the two, up to its gain from normalising', () =>
    fc.assert(
      fc.property(probs, probs, (one, other) => {
        for (const [index, prob] of (logPool(one, other) ?? []).entries())
          assert.ok(prob >= Math.sqrt((one[index] ?? 0) * (other[index] ?? 0)) - 1e-12);
      }),
    ));
});
