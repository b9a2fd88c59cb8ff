import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TimeList } from '../../../streams/model/time-list.ts';

const anyTime = fc.oneof(
  fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
  fc.maxSafeInteger(),
  fc.nat({ max: 50 }),
);
const ascending = (time: fc.Arbitrary<number>) =>
  fc.array(time, { maxLength: 50 }).map((times) => times.sort((a, b) => a - b));

describe('TimeList', () => {
  it('has the same times when it was written and read', () => {
    const anyNumber = fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((time) => !Object.is(time, -0));
    fc.assert(
      fc.property(fc.oneof(ascending(anyTime), ascending(anyNumber)), (times) => {
        const read = TimeList.from(JSON.parse(JSON.stringify(new TimeList(times))));
        assert.deepEqual([...read.times], times);
      }),
    );
  });

  it('is written alike whether or not its times were asked for', () => {
    fc.assert(
      fc.property(ascending(anyTime), (times) => {
        const text = JSON.stringify(new TimeList(times));
        const read = TimeList.from(JSON.parse(text));
        assert.equal(JSON.stringify(read), text);
        assert.equal(read.times.length, times.length);
        assert.equal(JSON.stringify(read), text);
      }),
    );
  });

  it('has what a sorted list has after the same changes', () => {
    const change = fc.oneof(
      fc.record({ what: fc.constant('insert' as const), at: anyTime }),
      fc.record({ what: fc.constant('remove' as const), at: fc.nat({ max: 50 }) }),
      fc.record({ what: fc.constant('dropBefore' as const), at: fc.oneof(anyTime, fc.nat({ max: 50 })) }),
    );
    fc.assert(
      fc.property(
        ascending(anyTime),
        fc.array(change, { maxLength: 80 }),
        fc.boolean(),
        (times, changes, isRead) => {
          const made = new TimeList(times);
          const list = isRead ? TimeList.from(JSON.parse(JSON.stringify(made))) : made;
          let expected = [...times];
          for (const { what, at } of changes) {
            list[what](at);
            if (what === 'insert') expected = [...expected, at].sort((a, b) => a - b);
            else if (what === 'dropBefore') expected = expected.filter((time) => time >= at);
            else if (expected.includes(at)) expected.splice(expected.indexOf(at), 1);
          }
          assert.deepEqual([...list.times], expected);
          assert.equal(JSON.stringify(list), JSON.stringify(new TimeList(expected)));
        },
      ),
    );
  });

  it('lends its times for good, in memory that threads share, whatever is changed afterwards', () => {
    const change = fc.record({
      what: fc.constantFrom('insert' as const, 'remove' as const, 'dropBefore' as const, 'lend' as const),
      at: fc.nat({ max: 60 }),
    });
    fc.assert(
      fc.property(ascending(fc.nat({ max: 50 })), fc.array(change, { maxLength: 80 }), (times, changes) => {
        const list = new TimeList(times);
        const lent: (readonly [now: Float64Array, then: readonly number[]])[] = [];
        for (const { what, at } of changes) {
          if (what !== 'lend') {
            list[what](at);
            continue;
          }
          const given = list.lend();
          assert.ok(given.buffer instanceof SharedArrayBuffer);
          assert.deepEqual([...given], [...list.times]);
          lent.push([given, [...given]]);
        }
        for (const [now, then] of lent) assert.deepEqual([...now], then);
      }),
    );
  });

  it('lends the same memory until a time goes, or comes between', () => {
    const list = new TimeList([10, 20, 30]);
    const first = list.lend();
    list.insert(40);
    assert.equal(list.lend().buffer, first.buffer);
    list.insert(25);
    assert.notEqual(list.lend().buffer, first.buffer);
    assert.deepEqual([...first], [10, 20, 30]);
    assert.deepEqual([...list.lend()], [10, 20, 25, 30, 40]);
  });

  it('is written with what was changed', () => {
    const list = TimeList.from({ $times: 'a 1' });
    list.insert(50);
    assert.deepEqual(list.toJSON(), { $times: 'a 1 13' });
  });
});
