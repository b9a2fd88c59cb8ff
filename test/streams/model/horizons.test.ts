import assert from 'node:assert/strict';
import { DAY_MS } from '../../../streams/internal.ts';
import { horizonAt, horizonsOf } from '../../../streams/model/horizons.ts';

describe('horizons', () => {
  it('are those that a window holds, its first instant included', () => {
    assert.deepEqual(horizonsOf(0, 7 * DAY_MS), [24, 48, 72]);
    assert.deepEqual(horizonsOf(0, 2 * DAY_MS), [24, 48]);
    assert.deepEqual(horizonsOf(1, 2 * DAY_MS), [24]);
    assert.deepEqual(horizonsOf(0, DAY_MS - 1), []);
  });

  it('are that many hours before the end', () => {
    assert.equal(horizonAt(7 * DAY_MS, 48), 5 * DAY_MS);
  });
});
