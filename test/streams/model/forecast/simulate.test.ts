import assert from 'node:assert/strict';
import fc from 'fast-check';
import { arbitraryInputs, arbitraryPartition } from './arbitrary-inputs.ts';
import { simulate } from './simulated.ts';
import { DAY_MS, FIRST_AT, HOUR_MS } from './synthetic.ts';

const runs = { numRuns: 60 };

/** Expected: 130 posts in the two and a half days left, with 40 counted. */
const INPUTS = {
  version: 'test',
  now: FIRST_AT,
  endAt: FIRST_AT + 2.5 * DAY_MS,
  count: 40,
  mean: 130,
  dispersion: 0.2,
  shares: [0.42, 0.38, 0.2],
};

describe('simulate', () => {
  it('orders its percentiles and never goes below the count', () => {
    fc.assert(
      fc.property(arbitraryInputs, fc.integer(), (inputs, seed) => {
        const { p5, p50, p95, quantiles } = simulate(inputs, [], seed);
        assert.equal(quantiles.length, 101);
        assert.deepEqual([p5, p50, p95], [quantiles[5], quantiles[50], quantiles[95]]);
        quantiles.reduce((before, quantile) => {
          assert.ok(Number.isInteger(quantile) && quantile >= before);
          return quantile;
        }, inputs.count);
      }),
      runs,
    );
  });

  it('shares a probability of one between buckets, none of it to those the count has passed', () => {
    fc.assert(
      fc.property(arbitraryInputs, arbitraryPartition, fc.integer(), (inputs, buckets, seed) => {
        const { bucketProbs } = simulate(inputs, buckets, seed);
        const total = bucketProbs.reduce((sum, probability) => sum + probability, 0);
        assert.ok(Math.abs(total - 1) < 1e-9, `${total}`);
        for (const [index, { hi }] of buckets.entries()) {
          const probability = bucketProbs[index] ?? -1;
          if (hi !== null && hi < inputs.count) assert.equal(probability, 0);
          else assert.ok(probability > 0 && probability <= 1);
        }
      }),
      runs,
    );
  });

  it('rises with the count, other things equal', () => {
    fc.assert(
      fc.property(arbitraryInputs, fc.integer({ min: 1, max: 50 }), fc.integer(), (inputs, more, seed) => {
        const before = simulate(inputs, [{ lo: 700, hi: null }], seed);
        const after = simulate({ ...inputs, count: inputs.count + more }, [{ lo: 700, hi: null }], seed);
        for (const [index, quantile] of before.quantiles.entries()) {
          assert.ok((after.quantiles[index] ?? 0) >= quantile + more);
        }
        assert.ok((after.bucketProbs[0] ?? 0) >= (before.bucketProbs[0] ?? 1));
      }),
      runs,
    );
  });

  it('gives the count once the window has closed', () => {
    const closed = { ...INPUTS, now: INPUTS.endAt, mean: 0, shares: [] };
    const buckets = [
      { lo: 0, hi: 39 },
      { lo: 40, hi: 40 },
      { lo: 41, hi: null },
    ];
    const { p5, p50, p95, bucketProbs, quantiles } = simulate(closed, buckets, 1);
    assert.deepEqual([p5, p50, p95], [40, 40, 40]);
    assert.deepEqual(bucketProbs, [0, 1, 0]);
    assert.ok(quantiles.every((quantile) => quantile === 40));
  });

  it('comes down to the count as the end draws near', () => {
    const last = { ...INPUTS, endAt: INPUTS.now + HOUR_MS / 60, mean: 0.01, dispersion: 2, shares: [1] };
    const { p5, p50, p95 } = simulate(last, [], 1);
    assert.deepEqual([p5, p50, p95], [40, 40, 40]);
  });

  it('gives the same digits for the same seed and others for another', () => {
    const bucket = [{ lo: 160, hi: 179 }];
    assert.deepEqual(simulate(INPUTS, bucket, 7), simulate(structuredClone(INPUTS), bucket, 7));
    assert.notDeepEqual(simulate(INPUTS, bucket, 7).bucketProbs, simulate(INPUTS, bucket, 8).bucketProbs);
  });

  it('moves no more in a quiet minute than its inputs do', () => {
    const bucket = [{ lo: 160, hi: 179 }];
    const minute = { ...INPUTS, mean: 129.96, dispersion: 0.20004, shares: [0.4201, 0.3801, 0.1998] };
    const [before = 0] = simulate(INPUTS, bucket, 7).bucketProbs;
    const [after = 0] = simulate(minute, bucket, 7).bucketProbs;
    assert.ok(Math.abs(after - before) < 0.0002, `${after - before}`);
  });
});
