import assert from 'node:assert/strict';
import { median } from '../../src/dashboard/median.ts';

describe('median of the page', () => {
  it('is the middle value, or the mean of the middle two, of values in any order', () => {
    assert.deepEqual([[], [4], [3, 1], [9, 1, 2], [8, 1, 3, 4]].map(median), [null, 4, 2, 2, 3.5]);
  });
});
