import assert from 'node:assert/strict';
import { inOrder } from '../../../src/dashboard/parts/signal-order.ts';

describe('inOrder', () => {
  it('puts buckets first that a count has passed while somebody bids for them, then goes by count', () => {
    const rows = [
      { bucket: '340+', buy_no: null },
      { bucket: '<140', buy_no: null },
      { bucket: '200-219', buy_no: {} },
      { bucket: '140-159', buy_no: null },
      { bucket: '160-179', buy_no: {} },
    ];
    assert.deepEqual(
      rows.toSorted(inOrder).map(({ bucket }) => bucket),
      ['160-179', '200-219', '<140', '140-159', '340+'],
    );
  });
});
