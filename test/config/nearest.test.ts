import assert from 'node:assert/strict';
import fc from 'fast-check';
import { editDistance, nearest } from '../../src/config/nearest.ts';

describe('editDistance', () => {
  it('counts insertions, deletions, exchanges and swaps of neighbours', () => {
    assert.equal(editDistance('port', 'port'), 0);
    assert.equal(editDistance('prot', 'port'), 1);
    assert.equal(editDistance('por', 'port'), 1);
    assert.equal(editDistance('pport', 'port'), 1);
    assert.equal(editDistance('part', 'port'), 1);
    assert.equal(editDistance('', 'port'), 4);
  });

  it('is the same both ways, 0 only for the same text, and never above the longer length', () => {
    const text = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const distance = editDistance(a, b);
        assert.equal(distance, editDistance(b, a));
        assert.equal(distance === 0, a === b);
        assert.ok(distance <= Math.max(a.length, b.length));
      }),
    );
  });
});

describe('nearest', () => {
  it('finds the name that was meant, and none when nothing is near', () => {
    assert.equal(nearest('hots', ['port', 'host', 'data']), 'host');
    assert.equal(nearest('HOST', ['port', 'host']), 'host');
    assert.equal(nearest('something', ['port', 'host']), undefined);
    assert.equal(nearest('x'.repeat(1e6), ['port', 'host']), undefined);
  });
});
