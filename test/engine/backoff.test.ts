import assert from 'node:assert/strict';
import fc from 'fast-check';
import { delayBefore } from '../../src/engine/backoff.ts';
import { SourceError } from '../../src/errors.ts';

const lost = new SourceError('SOURCE_NETWORK', 'connection reset');

describe('delayBefore', () => {
  it('doubles its ceiling from one second to eight', () => {
    const ceilings = [1, 2, 3, 4].map((failures) => delayBefore(lost, failures, () => 1));
    assert.deepEqual(ceilings, [1_000, 2_000, 4_000, 8_000]);
  });

  it('probes every four to six seconds once the circuit is open', () => {
    for (const failures of [5, 6, 500]) {
      const delays = [0, 0.5, 1].map((chance) => delayBefore(lost, failures, () => chance));
      assert.deepEqual(delays, [4_000, 5_000, 6_000]);
    }
  });

  it('draws from the whole span below the ceiling', () => {
    assert.equal(
      delayBefore(lost, 4, () => 0),
      0,
    );
    assert.equal(
      delayBefore(lost, 4, () => 0.25),
      2_000,
    );
  });

  it('never comes back before the time asked for, up to a minute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (retryAfterMs, failures, chance) => {
          const error = new SourceError('SOURCE_STATUS', 'status 429', { retryAfterMs });
          const delayMs = delayBefore(error, failures, () => chance);
          assert.ok(delayMs >= Math.min(60_000, retryAfterMs));
          assert.ok(delayMs <= 68_000);
        },
      ),
    );
  });

  it('waits long after a bug of ours', () => {
    assert.equal(
      delayBefore(new TypeError('x is undefined'), 1, () => 0),
      30_000,
    );
  });
});
