import assert from 'node:assert/strict';
import fc from 'fast-check';
import { wilson } from '../../src/dashboard/wilson.ts';

describe('wilson', () => {
  it('gives the interval known from tables', () => {
    const [low, high] = wilson(0.5, 10);
    assert.ok(Math.abs(low - 0.2366) < 1e-3 && Math.abs(high - 0.7634) < 1e-3);
    assert.deepEqual(wilson(0, 0), [0, 1]);
  });

  it('holds the share and stays between 0 and 1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, part) => {
          const share = Math.round(part * n) / n;
          const [low, high] = wilson(share, n);
          assert.ok(low >= 0 && high <= 1 && low <= share + 1e-9 && high >= share - 1e-9);
        },
      ),
    );
  });
});
