import assert from 'node:assert/strict';
import { bucketRows } from '../../../src/dashboard/charts/bucket-rows.ts';

/** Buckets by number, the weight of each around a likely one. */
function rowsAround(likely: number, count: number, most: number) {
  const buckets = Array.from({ length: count }, (_, place) => place);
  return bucketRows(buckets, (bucket) => 1 / (1 + Math.abs(bucket - likely)), most);
}

describe('rows of buckets', () => {
  it('are single ones where there is room for all', () => {
    assert.ok(rowsAround(3, 6, 6).every(({ type }) => type === 'one'));
  });

  it('leave no bucket out, wherever the likely ones are, and are always as many', () => {
    for (let likely = 0; likely < 32; likely++) {
      const rows = rowsAround(likely, 32, 12);
      const buckets = rows.flatMap((row) => (row.type === 'one' ? [row.bucket] : row.buckets));
      assert.deepEqual(
        buckets,
        Array.from({ length: 32 }, (_, place) => place),
      );
      assert.equal(rows.length, 12);
      assert.ok(rows.some((row) => row.type === 'one' && row.bucket === likely));
    }
  });

  it('have a group at each end that is not reached', () => {
    const types = (likely: number) => rowsAround(likely, 32, 5).map(({ type }) => type);
    assert.deepEqual(types(0), ['one', 'one', 'one', 'one', 'group']);
    assert.deepEqual(types(16), ['group', 'one', 'one', 'one', 'group']);
    assert.deepEqual(types(31), ['group', 'one', 'one', 'one', 'one']);
  });
});
