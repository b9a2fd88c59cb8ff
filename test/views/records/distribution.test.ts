import assert from 'node:assert/strict';
import fc from 'fast-check';
import { distributionToWire } from '../../../src/views/records/distribution.ts';

const anyQuantiles = fc
  .array(fc.integer({ min: 0, max: 300 }), { minLength: 101, maxLength: 101 })
  .map((counts) => counts.sort((a, b) => a - b));

describe('distributionToWire', () => {
  it('gives ascending counts, none below the least, with shares that add up to 1', () => {
    fc.assert(
      fc.property(anyQuantiles, fc.integer({ min: 0, max: 300 }), (quantiles, least) => {
        const points = distributionToWire(quantiles, least);
        const total = points.reduce((sum, { prob }) => sum + prob, 0);
        assert.ok(Math.abs(total - 1) < 1e-9);
        points.forEach(({ count, prob }, index) => {
          assert.ok(count >= least && prob > 0);
          assert.ok(index === 0 || count > (points[index - 1]?.count ?? 0));
        });
      }),
    );
  });

  it('gives each of 101 different quantiles a percent, and the ends half of it', () => {
    const points = distributionToWire(
      Array.from({ length: 101 }, (_, level) => level),
      0,
    );
    assert.equal(points.length, 101);
    assert.deepEqual(
      [points[0], points[50], points[100]],
      [
        { count: 0, prob: 0.005 },
        { count: 50, prob: 0.01 },
        { count: 100, prob: 0.005 },
      ],
    );
  });
});
