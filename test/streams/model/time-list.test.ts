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
        assert.deepEqual(read.times, times);
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

  it('is written with what was changed in place', () => {
    const list = TimeList.from({ $times: 'a 1' });
    list.times.push(50);
    assert.deepEqual(list.toJSON(), { $times: 'a 1 13' });
  });
});
