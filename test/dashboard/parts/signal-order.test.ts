import assert from 'node:assert/strict';
import { inOrder, mostNotable } from '../../../src/dashboard/parts/signal-order.ts';

describe('inOrder', () => {
  it('puts buckets first that a count has passed while somebody bids for them, then goes by count', () => {
    const rows = [
      { bucket: '340+', action: 'HOLD', buy_no: null, reason_codes: [] },
      { bucket: '<140', action: 'HOLD', buy_no: null, reason_codes: [] },
      { bucket: '200-219', action: 'HOLD', buy_no: {}, reason_codes: ['PASSED_BY_COUNT'] },
      { bucket: '140-159', action: 'HOLD', buy_no: null, reason_codes: [] },
      { bucket: '160-179', action: 'HOLD', buy_no: {}, reason_codes: ['PASSED_BY_COUNT'] },
    ];
    assert.deepEqual(
      rows.toSorted(inOrder).map(({ bucket }) => bucket),
      ['160-179', '200-219', '<140', '140-159', '340+'],
    );
  });
});

describe('mostNotable', () => {
  it('leaves out no bucket to sell, though their edges are the worst', () => {
    const rows = ['BUY', 'HOLD', 'HOLD', 'HOLD', 'SELL', 'SELL'].map((action, at) => {
      return { bucket: `${at}-${at}`, action, buy_no: null, reason_codes: [] };
    });
    assert.deepEqual(
      mostNotable(rows, 4).map(({ bucket }) => bucket),
      ['0-0', '4-4', '5-5', '1-1'],
    );
  });
});
