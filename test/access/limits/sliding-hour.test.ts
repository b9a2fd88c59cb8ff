import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  add,
  advance,
  callsIn,
  charge,
  emptyHour,
  nextFreeAt,
  refund,
} from '../../../src/access/limits/sliding-hour.ts';
import { HOUR_MS } from '../../../streams/internal.ts';

const START = Date.UTC(2026, 0, 1, 12);

/** Ms that pass before each call. */
const anyPauses = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.nat({ max: 5 }),
    fc.nat({ max: 60_000 }),
    fc.constantFrom(HOUR_MS - 1, HOUR_MS, HOUR_MS + 1),
    fc.nat({ max: 2 * HOUR_MS }),
  ),
  { maxLength: 300 },
);

describe('charge', () => {
  it('admits as many calls as the last hour has room for, and no more, whenever they come', () => {
    fc.assert(
      fc.property(anyPauses, fc.integer({ min: 1, max: 20 }), (pauses, limit) => {
        const hour = emptyHour('x');
        let calls: number[] = [];
        let now = START;
        for (const pause of pauses) {
          now += pause;
          calls = calls.filter((each) => each > now - HOUR_MS);
          assert.equal(charge(hour, now, limit), calls.length < limit);
          if (calls.length < limit) calls.push(now);
          assert.equal(hour.used, calls.length);
          assert.deepEqual(
            callsIn(hour).flatMap(([at, count]) => new Array<number>(count).fill(at)),
            calls,
          );
        }
      }),
    );
  });

  it('never refuses calls that come evenly at the limit, and refuses one more among them', () => {
    const anyLimit = fc.constantFrom(1, 7, 60, 100, 101, 3_600, 10_000, 1_000_000);
    fc.assert(
      fc.property(anyLimit, fc.nat({ max: HOUR_MS }), (limit, offset) => {
        const hour = emptyHour('x');
        const timeOf = (call: number) => START + offset + Math.floor((call * HOUR_MS) / limit);
        const calls = Math.min(3 * limit, limit + 5_000);
        for (let call = 0; call < calls; call++) {
          assert.equal(charge(hour, timeOf(call), limit), true, `call ${call} of ${limit}`);
        }
        assert.equal(charge(hour, timeOf(calls - 1), limit), false);
      }),
      { numRuns: 20 },
    );
  });

  it('counts any number of calls of one millisecond', () => {
    const hour = emptyHour('x');
    for (let call = 0; call < 3_000; call++) assert.equal(charge(hour, START, 3_000), true);
    assert.equal(charge(hour, START + HOUR_MS - 1, 3_000), false);
    assert.deepEqual(
      callsIn(hour).map(([at, calls]) => [at - START, calls]),
      [
        [0, 1_024],
        [0, 1_024],
        [0, 952],
      ],
    );
    assert.equal(charge(hour, START + HOUR_MS, 3_000), true);
    assert.equal(hour.used, 1);
  });

  it('does not grow while calls come and go', () => {
    const hour = emptyHour('x');
    for (let call = 0; call < 100_000; call++) charge(hour, START + call * 36_000, 100);
    assert.ok(hour.marks.length <= 100 + 65, `${hour.marks.length} marks`);
  });
});

describe('refund', () => {
  it('takes back the very call, and nothing that is over', () => {
    const hour = emptyHour('x');
    charge(hour, START, 5);
    charge(hour, START + 10, 5);
    charge(hour, START + 10, 5);
    refund(hour, START);
    assert.deepEqual([hour.used, callsIn(hour).map(([at, calls]) => [at - START, calls])], [2, [[10, 2]]]);
    refund(hour, START + 5);
    refund(hour, START + 10);
    assert.deepEqual([hour.used, callsIn(hour).length], [1, 1]);
    charge(hour, START + 10 + HOUR_MS, 5);
    refund(hour, START + 10);
    assert.equal(hour.used, 1);
  });

  it('undoes any call that still counts', () => {
    fc.assert(
      fc.property(anyPauses, fc.nat(), (pauses, pick) => {
        const hour = emptyHour('x');
        let now = START;
        for (const pause of pauses) {
          now += pause;
          charge(hour, now, 1_000);
        }
        const calls = callsIn(hour);
        const [at] = calls[pick % Math.max(1, calls.length)] ?? [0];
        const used = hour.used;
        refund(hour, at);
        assert.equal(hour.used, Math.max(0, used - (calls.length === 0 ? 0 : 1)));
        const left = callsIn(hour).reduce((sum, [, count]) => sum + count, 0);
        assert.equal(left, hour.used);
      }),
    );
  });
});

describe('nextFreeAt', () => {
  it('is an hour after the oldest call, when the next one is admitted', () => {
    const hour = emptyHour('x');
    assert.equal(nextFreeAt(hour, 2, START), START);
    charge(hour, START, 2);
    charge(hour, START + 100, 2);
    const freeAt = nextFreeAt(hour, 2, START + 200);
    assert.equal(freeAt, START + HOUR_MS);
    assert.equal(charge(hour, freeAt - 1, 2), false);
    assert.equal(charge(hour, freeAt, 2), true);
  });

  it('waits until enough calls are over when the limit was lowered', () => {
    const hour = emptyHour('x');
    add(hour, START, 3);
    add(hour, START + 5, 2);
    assert.equal(nextFreeAt(hour, 5, START + 9), START + HOUR_MS);
    assert.equal(nextFreeAt(hour, 3, START + 9), START + HOUR_MS);
    assert.equal(nextFreeAt(hour, 2, START + 9), START + 5 + HOUR_MS);
  });
});

describe('advance', () => {
  it('drops what is an hour old, and nothing younger', () => {
    const hour = emptyHour('x');
    add(hour, START, 2);
    add(hour, START + 1, 1);
    advance(hour, START + HOUR_MS - 1);
    assert.equal(hour.used, 3);
    advance(hour, START + HOUR_MS);
    assert.equal(hour.used, 1);
    advance(hour, START + HOUR_MS + 1);
    assert.deepEqual([hour.used, callsIn(hour)], [0, []]);
  });
});
