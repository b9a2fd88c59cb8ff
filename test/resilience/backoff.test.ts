import assert from 'node:assert/strict';
import fc from 'fast-check';
import { backoffDelay, jitteredDelay } from '../../src/resilience/backoff.ts';

const BACKOFF = { firstMs: 100, longestMs: 30_000 };

describe('backoffDelay', () => {
  it('doubles with each failure up to the longest delay', () => {
    const delays = [1, 2, 3, 9, 10, 5_000].map((failures) => backoffDelay(BACKOFF, failures));
    assert.deepEqual(delays, [100, 200, 400, 25_600, 30_000, 30_000]);
  });
});

describe('jitteredDelay', () => {
  it('draws from the whole span below the doubled delay', () => {
    const failures = fc.integer({ min: 1, max: 5_000 });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(failures, chance, (count, share) => {
        assert.equal(
          jitteredDelay(BACKOFF, count, () => share),
          share * backoffDelay(BACKOFF, count),
        );
      }),
    );
  });
});
