import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sha256 } from '../../../streams/model/sha256.ts';

const expected = (text: string) => createHash('sha256').update(text).digest('hex');

describe('sha256', () => {
  it('gives the digests of the standard', () => {
    assert.equal(sha256(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('agrees with the platform at every length around a block', () => {
    for (let length = 0; length <= 200; length++) {
      const text = 'x'.repeat(length);
      assert.equal(sha256(text), expected(text), `length ${length}`);
    }
  });

  it('agrees with the platform on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        assert.equal(sha256(text), expected(text));
      }),
      { numRuns: 300 },
    );
  });
});
