import assert from 'node:assert/strict';
import fc from 'fast-check';
import { moneyness } from '../../../streams/model/moneyness.ts';

const anyBucket = fc
  .tuple(fc.nat({ max: 2_000 }), fc.integer({ min: 1, max: 200 }))
  .map(([lo, width]) => ({ lo, hi: lo + width }));

describe('moneyness', () => {
  it('is 1 at the centre of 200-219, 0 at its edges and outside', () => {
    const of = (count: number) => moneyness(count, { lo: 200, hi: 219 });
    assert.deepEqual([199, 200, 209.5, 219, 220].map(of), [0, 0, 1, 0, 0]);
  });

  it('lies in 0..1, is positive only inside, symmetric and falls with the distance from the centre', () => {
    fc.assert(
      fc.property(anyBucket, fc.nat({ max: 400 }), fc.nat({ max: 400 }), (bucket, near, far) => {
        const centre = (bucket.lo + bucket.hi) / 2;
        const at = (distance: number) => moneyness(centre + distance, bucket) ?? Number.NaN;
        assert.ok(at(near) >= 0 && at(near) <= 1);
        if (at(near) > 0) assert.ok(centre + near > bucket.lo && centre + near < bucket.hi);
        assert.equal(at(near), at(-near));
        assert.ok(at(Math.min(near, far)) >= at(Math.max(near, far)));
      }),
    );
  });

  it('gives an open-ended bucket the width of its neighbour, and no upper edge', () => {
    const open = { lo: 220, hi: null };
    const of = (count: number) => moneyness(count, open, { lo: 200, hi: 219 });
    assert.deepEqual([210, 220, 229.5, 300].map(of), [0, 0, 1, 1]);
    assert.equal(of(224.75), 0.5);
    assert.deepEqual([moneyness(219, open), moneyness(220, open)], [0, 1]);
  });

  it('takes a single count for the centre', () => {
    assert.deepEqual([moneyness(5, { lo: 5, hi: 5 }), moneyness(6, { lo: 5, hi: 5 })], [1, 0]);
  });

  it('knows nothing of a bucket that is no range', () => {
    assert.equal(moneyness(5, { lo: null, hi: 9 }), null);
  });
});
