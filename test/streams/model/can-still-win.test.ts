import assert from 'node:assert/strict';
import { canStillWin } from '../../../streams/model/can-still-win.ts';

describe('canStillWin', () => {
  it('is over once the count of the oracle is above the bucket', () => {
    assert.deepEqual(
      [18, 19, 20].map((oracle) => canStillWin({ hi: 19 }, oracle)),
      [true, true, false],
    );
  });

  it('is never over for an open bucket, nor while the count is unknown', () => {
    assert.ok(canStillWin({ hi: null }, 1_000));
    assert.ok(canStillWin({ hi: 19 }, null));
  });
});
