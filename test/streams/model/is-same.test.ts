import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSame } from '../../../streams/model/is-same.ts';

const anyValue = fc.jsonValue({ maxDepth: 3, noUnicodeString: true });

describe('isSame', () => {
  it('finds any value the same as its copy', () => {
    fc.assert(fc.property(anyValue, (value) => assert.ok(isSame(value, structuredClone(value)))));
  });

  it('finds any two scalars different, wherever they are', () => {
    const scalar = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string());
    fc.assert(
      fc.property(anyValue, scalar, scalar, (rest, a, b) => {
        assert.equal(isSame({ rest, list: [a] }, { rest, list: [b] }), a === b);
      }),
    );
  });

  it('looks at every field, however deep', () => {
    const value = { a: [1, { b: null, c: 'x' }], d: 2 };
    assert.ok(!isSame(value, { a: [1, { b: null, c: 'y' }], d: 2 }));
    assert.ok(!isSame(value, { a: [1, { b: 0, c: 'x' }], d: 2 }));
    assert.ok(!isSame(value, { a: [1], d: 2 }));
    assert.ok(!isSame(value, { ...value, e: 1 }));
    assert.ok(!isSame({ a: 1 }, { b: 1 }));
    assert.ok(!isSame(value, null));
  });
});
