import assert from 'node:assert/strict';
import { stateOf } from '../../../src/dashboard/charts/bucket-state.ts';

describe('stateOf', () => {
  const range = { lo: 20, hi: 39 };

  it('is open above the counts and current around the higher one', () => {
    assert.equal(stateOf(range, { own: null, oracle: null }), 'open');
    assert.equal(stateOf(range, { own: 19, oracle: 18 }), 'open');
    assert.equal(stateOf(range, { own: 20, oracle: 18 }), 'current');
    assert.equal(stateOf({ lo: 20, hi: null }, { own: 900, oracle: 900 }), 'current');
  });

  it("is dead once the oracle's count is above it, and our own is not enough", () => {
    assert.equal(stateOf({ ...range, edge: 0 }, { own: 40, oracle: 39 }), 'passed');
    assert.equal(stateOf({ ...range, edge: 0 }, { own: 40, oracle: 40 }), 'dead');
  });

  it('is not dead while somebody still pays for it', () => {
    assert.equal(stateOf({ ...range, edge: -0.1 }, { own: 40, oracle: 40 }), 'passed');
  });
});
