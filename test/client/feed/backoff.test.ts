import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RECONNECT, reconnectDelay } from '../../../src/client/feed/backoff.ts';

describe('reconnectDelay', () => {
  it('lies between the shortest wait and a bound that doubles up to 30 s', () => {
    fc.assert(
      fc.property(
        fc.nat(2_000),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const delayMs = reconnectDelay(RECONNECT, attempt, random);
          assert.ok(delayMs >= 500 && delayMs <= Math.min(30_000, 1_000 * 2 ** attempt));
        },
      ),
    );
  });

  it('spreads over the whole range', () => {
    assert.deepEqual(
      [0, 0.5, 0.999].map((random) => reconnectDelay(RECONNECT, 20, random)),
      [500, 15_250, 29_971],
    );
  });
});
