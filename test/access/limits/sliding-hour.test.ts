import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  advance,
  charge,
  type Hour,
  KEPT_MINUTES,
  minuteOf,
  minutesOf,
  nextFreeAt,
  refund,
} from '../../../src/access/limits/sliding-hour.ts';

function emptyHour(): Hour {
  const counts = new Uint32Array(3 * KEPT_MINUTES).fill(9, 0, KEPT_MINUTES).fill(9, 2 * KEPT_MINUTES);
  return { id: 'x', counts, base: KEPT_MINUTES, minute: 0, used: 0, oldest: 0, isDirty: false };
}

/** Minutes that pass before each call. */
const anyPauses = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 5 }), fc.nat({ max: 150 })), {
  maxLength: 200,
});

describe('charge', () => {
  it('admits as many calls as the minutes of the last hour allow, and no more', () => {
    fc.assert(
      fc.property(anyPauses, fc.integer({ min: 1, max: 20 }), (pauses, limit) => {
        const hour = emptyHour();
        const calls: number[] = [];
        let minute = 1_000_000;
        for (const pause of pauses) {
          minute += pause;
          const recent = calls.filter((each) => each > minute - KEPT_MINUTES);
          assert.equal(charge(hour, minute, limit), recent.length < limit);
          if (recent.length < limit) calls.push(minute);
          const now = calls.filter((each) => each > minute - KEPT_MINUTES);
          assert.equal(hour.used, now.length);
          if (now.length > 0) assert.equal(hour.oldest, now[0]);
          assert.deepEqual(
            minutesOf(hour),
            [...new Set(now)].map((each) => [each, now.filter((other) => other === each).length]),
          );
        }
        // Neighbours in the same array are left alone.
        assert.ok(hour.counts.subarray(0, KEPT_MINUTES).every((count) => count === 9));
        assert.ok(hour.counts.subarray(2 * KEPT_MINUTES).every((count) => count === 9));
      }),
    );
  });
});

describe('refund', () => {
  it('takes back the very call, and nothing that is forgotten', () => {
    const hour = emptyHour();
    charge(hour, 100, 5);
    charge(hour, 110, 5);
    refund(hour, 100);
    assert.deepEqual([hour.used, hour.oldest, minutesOf(hour)], [1, 110, [[110, 1]]]);
    refund(hour, 105);
    assert.equal(hour.used, 1);
    charge(hour, 110 + KEPT_MINUTES, 5);
    refund(hour, 110);
    assert.deepEqual(minutesOf(hour), [[110 + KEPT_MINUTES, 1]]);
  });
});

describe('nextFreeAt', () => {
  it('is when the oldest minute with a call is over and an hour past', () => {
    const hour = emptyHour();
    assert.equal(nextFreeAt(hour, 5), 5);
    charge(hour, 100, 2);
    charge(hour, 101, 2);
    assert.equal(nextFreeAt(hour, 0), 161 * 60_000);
    assert.equal(charge(hour, minuteOf(161 * 60_000 - 1), 2), false);
    assert.equal(charge(hour, minuteOf(161 * 60_000), 2), true);
  });
});

describe('advance', () => {
  it('never goes back', () => {
    const hour = emptyHour();
    charge(hour, 500, 5);
    advance(hour, 400);
    assert.deepEqual([hour.minute, hour.used], [500, 1]);
  });
});
