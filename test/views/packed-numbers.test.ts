import assert from 'node:assert/strict';
import fc from 'fast-check';
import { packNumbers } from '../../src/views/packed-numbers.ts';

const anyNumber = fc.oneof(fc.nat({ max: 20 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));

describe('packed numbers', () => {
  it('have the entries that they are made of, and no others', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(anyNumber, anyNumber)), fc.array(anyNumber), (pairs, others) => {
        const entries = new Map(pairs);
        const packed = packNumbers(entries);
        assert.equal(packed.size, entries.size);
        for (const key of [...entries.keys(), ...others]) assert.equal(packed.get(key), entries.get(key));
      }),
    ));
});
