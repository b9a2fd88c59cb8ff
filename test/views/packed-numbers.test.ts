import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { packNumbers } from '../../src/views/packed-numbers.ts';
import { eventually } from '../support/eventually.ts';

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

  it('do not keep what they are made of', async () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    assert.ok(typeof collect === 'function');
    const made = () => {
      const entries = new Map([[1, 2]]);
      return { packed: packNumbers(entries), entries: new WeakRef(entries) };
    };
    const { packed, entries } = made();
    await eventually('the map is collected', () => {
      collect();
      return entries.deref() === undefined;
    });
    assert.equal(packed.get(1), 2);
  });
});
