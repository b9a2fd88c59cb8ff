import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countBetween, insertTime, lowerBound, removeTime } from '../../../streams/model/sorted-times.ts';

const at = fc.nat({ max: 20 });
const ascending = fc.array(at, { maxLength: 30 }).map((times) => times.sort((a, b) => a - b));

describe('sorted times', () => {
  it('finds the first time that is not before the one asked for', () => {
    fc.assert(
      fc.property(ascending, at, (times, asked) => {
        const first = times.findIndex((time) => time >= asked);
        assert.equal(lowerBound(times, asked), first === -1 ? times.length : first);
      }),
    );
  });

  it('stays ascending as times come in any order', () => {
    fc.assert(
      fc.property(fc.array(at), (times) => {
        const list: number[] = [];
        for (const time of times) insertTime(list, time);
        assert.deepEqual(
          list,
          times.toSorted((a, b) => a - b),
        );
      }),
    );
  });

  it('removes one of several equal times, and nothing when there is none', () => {
    fc.assert(
      fc.property(ascending, at, (times, gone) => {
        const list = [...times];
        removeTime(list, gone);
        const index = times.indexOf(gone);
        assert.deepEqual(list, index === -1 ? times : times.toSpliced(index, 1));
      }),
    );
  });

  it('counts the start in and the end out', () => {
    fc.assert(
      fc.property(ascending, at, at, (times, from, to) => {
        const inside = times.filter((time) => from <= time && time < to);
        assert.equal(countBetween(times, from, to), inside.length);
      }),
    );
  });
});
