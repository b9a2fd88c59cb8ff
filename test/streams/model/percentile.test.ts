import assert from 'node:assert/strict';
import fc from 'fast-check';
import { median, percentile } from '../../../streams/model/percentile.ts';

describe('percentile', () => {
  it('is null of nothing', () => assert.equal(percentile([], 50), null));

  it('takes the nearest rank', () => {
    const list = [15, 20, 35, 40, 50];
    const ranks = [0, 5, 20, 21, 30, 40, 50, 90, 99, 100];
    assert.deepEqual(
      ranks.map((rank) => percentile(list, rank)),
      [15, 15, 15, 20, 20, 20, 35, 50, 50, 50],
    );
  });

  it('is the least value that at least so many percent do not exceed', () => {
    const list = fc.array(fc.integer(), { minLength: 1, maxLength: 150, size: 'max' });
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 100 }), (values, rank) => {
        const ascending = values.toSorted((a, b) => a - b);
        const share = (limit: number) => values.filter((value) => value <= limit).length * 100;
        const least = ascending.find((value) => share(value) >= rank * values.length);
        assert.equal(percentile(ascending, rank), least);
      }),
    );
  });
});

describe('median', () => {
  it('is null of nothing', () => assert.equal(median([]), null));

  it('is the mean of the middle two of an even number', () => {
    assert.deepEqual([[7], [1, 2], [1, 5, 9], [1, 2, 4, 90]].map(median), [7, 1.5, 5, 3]);
  });

  it('lies as far from the least as from the greatest rank', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1 }), (values) => {
        const ascending = values.toSorted((a, b) => a - b);
        const mirrored = values.map((value) => -value).sort((a, b) => a - b);
        assert.equal(median(ascending), 0 - (median(mirrored) ?? Number.NaN));
      }),
    );
  });
});
