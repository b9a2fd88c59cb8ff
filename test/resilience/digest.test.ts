import assert from 'node:assert/strict';
import fc from 'fast-check';
import { digestOf } from '../../src/resilience/digest.ts';

describe('digestOf', () => {
  it('is the same for the same JSON, and another one for another', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        assert.equal(digestOf(one) === digestOf(other), JSON.stringify(one) === JSON.stringify(other));
      }),
    ));

  it('is short, however large the value is', () => {
    assert.equal(digestOf('x'.repeat(100_000)).length, digestOf('').length);
  });
});
