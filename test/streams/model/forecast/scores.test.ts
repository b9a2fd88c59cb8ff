import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  bootstrapInterval,
  brier,
  bucketOf,
  crps,
  distanceFromUniform,
  logScore,
  pit,
} from '../../../../streams/model/forecast/scores.ts';

/** 10 counted, and 0, 1 or 2 more with probabilities .5, .3, .2. */
const FINAL = { count: 10, paths: Float64Array.of(0.5, 0.8, 1), floorMedian: null };

describe('scores', () => {
  it('ranks a distribution by its distance from the outcome', () => {
    assert.ok(Math.abs(crps(FINAL, 10) - (0.5 ** 2 + 0.2 ** 2)) < 1e-12);
    assert.ok(Math.abs(crps(FINAL, 12) - (0.5 ** 2 + 0.8 ** 2)) < 1e-12);
    assert.ok(Math.abs(crps(FINAL, 15) - (0.5 ** 2 + 0.8 ** 2 + 3)) < 1e-12);
  });

  it('ranks a bare number by its distance', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (count, actual) => {
        const sure = { count, paths: Float64Array.of(1), floorMedian: null };
        assert.equal(crps(sure, actual), Math.abs(actual - count));
      }),
    );
  });

  it('punishes surprise by its logarithm, and the impossible with a finite number', () => {
    assert.equal(logScore(1) + 0, 0);
    assert.ok(Math.abs(logScore(0.25) - Math.log(4)) < 1e-12);
    assert.ok(Number.isFinite(logScore(0)));
  });

  it('finds buckets and their Brier score', () => {
    assert.deepEqual(bucketOf(39, 20), { lo: 20, hi: 39 });
    const buckets = [bucketOf(0, 20), { lo: 20, hi: null }];
    assert.ok(Math.abs(brier(buckets, [0.3, 0.7], 25) - 2 * 0.3 ** 2) < 1e-12);
  });

  it('places an outcome in the middle of its own probability', () => {
    assert.ok(Math.abs(pit(FINAL, 10) - 0.25) < 1e-12);
    assert.ok(Math.abs(pit(FINAL, 11) - 0.65) < 1e-12);
    assert.equal(pit(FINAL, 9), 0);
    assert.equal(pit(FINAL, 30), 1);
  });

  it('measures how far values are from even', () => {
    const even = Array.from({ length: 100 }, (_, index) => (index + 0.5) / 100);
    assert.ok(Math.abs(distanceFromUniform(even) - 0.005) < 1e-12);
    assert.equal(distanceFromUniform([0.9, 0.9]), 0.9);
  });

  it('gives an interval that holds the statistic of the whole', () => {
    const blocks = Array.from({ length: 60 }, (_, index) => index % 7);
    const mean = (drawn: readonly number[]) => drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
    const interval = bootstrapInterval(blocks, mean);
    assert.ok(interval !== null);
    const [low, high] = interval;
    assert.ok(low < mean(blocks) && mean(blocks) < high);
    // The standard error of a mean of 60 with variance 4 is 0.26.
    assert.ok(high - low > 0.7 && high - low < 1.4, `${low} to ${high}`);
    assert.equal(bootstrapInterval([1], mean), null);
  });
});
