import assert from 'node:assert/strict';
import { bucketsOf } from '../../../src/world/market/buckets.ts';

const KINDS = ['week-tuesday', 'week-friday', 'two-days', 'month'] as const;

describe('bucketsOf', () => {
  for (const account of ['a', 'b'] as const) {
    for (const kind of KINDS) {
      it(`tiles 0 to infinity without a gap for ${account}, ${kind}`, () => {
        const shapes = bucketsOf(account, kind);
        let next = 0;
        for (const { lo, hi } of shapes) {
          assert.equal(lo, next);
          next = (hi ?? Number.POSITIVE_INFINITY) + 1;
        }
        assert.equal(next, Number.POSITIVE_INFINITY);
      });
    }
  }

  it('has 26 buckets a week, ten for two days, and a month of two widths', () => {
    assert.equal(bucketsOf('a', 'week-friday').length, 26);
    assert.equal(bucketsOf('a', 'two-days').length, 10);
    const widths = bucketsOf('a', 'month')
      .slice(1, -1)
      .map(({ lo, hi }) => (hi ?? 0) - lo + 1);
    assert.deepEqual([...new Set(widths)], [60, 80]);
  });

  it('writes the labels and slugs of the ends', () => {
    const shapes = bucketsOf('a', 'two-days');
    assert.deepEqual([shapes[0]?.title, shapes[0]?.slugSuffix], ['<140', '0-139']);
    assert.deepEqual([shapes.at(-1)?.title, shapes.at(-1)?.slugSuffix], ['340+', '340plus']);
    assert.equal(bucketsOf('a', 'week-friday')[0]?.title, '0-39');
  });
});
