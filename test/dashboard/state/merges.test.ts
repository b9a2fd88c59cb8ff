import assert from 'node:assert/strict';
import { mergesOf } from '../../../src/dashboard/state/merges.ts';

describe('mergesOf', () => {
  it('pairs Yes and No of one bucket, as many as there are of both', () => {
    const held = [
      { bucket: '0-19', outcome: 'Yes', tokens: 283.8 },
      { bucket: '0-19', outcome: 'No', tokens: 12.5 },
      { bucket: '20-39', outcome: 'No', tokens: 66 },
    ];
    assert.deepEqual(mergesOf(held), [{ bucket: '0-19', pairs: 12.5 }]);
    assert.deepEqual(mergesOf([]), []);
  });
});
