import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createHeld } from '../../../src/access/limits/held.ts';

describe('createHeld', () => {
  it('counts by name and in all whatever is added and removed', () => {
    const change = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      how: fc.constantFrom('add', 'remove', 'call'),
    });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const held = createHeld();
        const expected: string[] = [];
        const removals = new Map<string, () => void>();
        for (const { name, how } of changes) {
          if (how === 'add') {
            expected.push(name);
            removals.set(name, held.add(name));
          } else {
            const at = expected.indexOf(name);
            if (at >= 0) expected.splice(at, 1);
            if (how === 'remove') held.remove(name);
            else removals.get(name)?.();
          }
          assert.equal(held.total, expected.length);
          for (const each of ['a', 'b', 'c']) {
            assert.equal(held.of(each), expected.filter((one) => one === each).length);
          }
        }
      }),
    );
  });

  it('gives all that are counted for a name one function', () => {
    const held = createHeld();
    assert.equal(held.add('a'), held.add('a'));
    assert.notEqual(held.add('a'), held.add('b'));
  });
});
