import assert from 'node:assert/strict';
import fc from 'fast-check';
import { statsOf } from '../../../src/world/wire/tracking-stats.ts';
import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';

describe('statsOf', () => {
  const startAt = Date.UTC(2026, 3, 3, 16);
  const lastAt = Date.UTC(2026, 3, 10, 15, 59, 59);

  it('computes what the recorded tracking has', () => {
    assert.deepEqual(statsOf({ startAt, lastAt }, 212, Date.UTC(2026, 3, 9, 13, 56)), {
      total: 212,
      cumulative: 212,
      pace: 247,
      percentComplete: 86,
      daysElapsed: 6,
      daysRemaining: 2,
      daysTotal: 7,
      isComplete: false,
    });
  });

  it('has no pace before the start and more days left than the window has', () => {
    const stats = statsOf({ startAt, lastAt }, 0, startAt - 2 * DAY_MS);
    assert.deepEqual(
      [stats.pace, stats.daysElapsed, stats.daysRemaining, stats.isComplete],
      [0, 0, 9, false],
    );
  });

  it('reaches 100 percent on the last day while it is not complete', () => {
    const stats = statsOf({ startAt, lastAt }, 300, lastAt - HOUR_MS);
    assert.deepEqual([stats.percentComplete, stats.isComplete], [100, false]);
    assert.equal(statsOf({ startAt, lastAt }, 300, lastAt + 1).isComplete, true);
  });

  it('stays inside its bounds at any instant', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: startAt - 9 * DAY_MS, max: lastAt + 9 * DAY_MS }),
        fc.nat(2_000),
        (now, total) => {
          const stats = statsOf({ startAt, lastAt }, total, now);
          return (
            stats.daysElapsed >= 0 &&
            stats.daysElapsed <= 7 &&
            stats.daysRemaining >= 0 &&
            stats.percentComplete <= 100
          );
        },
      ),
    );
  });
});
