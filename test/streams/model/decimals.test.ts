import assert from 'node:assert/strict';
import { round4 } from '../../../streams/model/decimals.ts';

describe('round4', () => {
  it('keeps 4 decimals', () => assert.deepEqual([0.12345, 0.00004, -0.31].map(round4), [0.1235, 0, -0.31]));

  it('has one zero', () => assert.ok(Object.is(round4(-0.00001), 0)));
});
