import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isPartition } from '../../../streams/model/partition.ts';

const range = (lo: number | null, hi: number | null) => ({ lo, hi });

describe('isPartition', () => {
  const tables = [
    ['one open range from 0', [range(0, null)], true],
    ['ranges that meet', [range(0, 19), range(20, 39), range(40, null)], true],
    ['a range of one count', [range(0, 0), range(1, null)], true],
    ['no range', [], false],
    ['a start above 0', [range(1, null)], false],
    ['an unknown start', [range(null, 19), range(20, null)], false],
    ['a gap', [range(0, 19), range(21, null)], false],
    ['an overlap', [range(0, 20), range(20, null)], false],
    ['no open end', [range(0, 19), range(20, 39)], false],
    ['a range after the open one', [range(0, null), range(20, 39)], false],
    ['two open ranges', [range(0, 19), range(20, null), range(20, null)], false],
    ['a range that runs backwards', [range(0, 19), range(20, 18), range(19, null)], false],
    ['ranges out of order', [range(20, null), range(0, 19)], false],
  ] as const;

  for (const [name, ranges, expected] of tables) {
    it(`is ${expected} for ${name}`, () => assert.equal(isPartition(ranges), expected));
  }

  it('is true exactly when every count lies in one range', () => {
    const bound = fc.nat({ max: 12 });
    const anyRange = fc.record({ lo: bound, hi: fc.option(bound, { freq: 3 }) });
    const cutAt = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }).map((cuts) => {
      const starts = [0, ...cuts.toSorted((a, b) => a - b)];
      return starts.map((lo, index) => range(lo, (starts[index + 1] ?? 0) - 1 || null));
    });
    fc.assert(
      fc.property(fc.oneof(fc.array(anyRange, { maxLength: 4 }), cutAt), (ranges) => {
        const holders = (count: number) =>
          ranges.filter(({ lo, hi }) => lo !== null && lo <= count && (hi === null || count <= hi));
        const counts = Array.from({ length: 20 }, (_, count) => count);
        const isTiled = counts.every((count) => holders(count).length === 1);
        const isAscending = ranges.every(({ lo, hi }, index) => {
          const next = ranges[index + 1]?.lo ?? Number.POSITIVE_INFINITY;
          return (lo ?? 0) < next && (hi === null || (lo ?? 0) <= hi);
        });
        assert.equal(isPartition(ranges), isTiled && isAscending);
      }),
      { numRuns: 1_000 },
    );
  });
});
