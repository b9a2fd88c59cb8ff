import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isWellFormed, mintId, mintKey } from '../../../src/access/keys/key-text.ts';
import { TIERS } from '../../../src/access/tiers.ts';

describe('mintKey', () => {
  it('makes another key of the form each time', () => {
    for (const tier of TIERS) {
      const keys = Array.from({ length: 200 }, () => mintKey(tier));
      assert.equal(new Set(keys).size, keys.length);
      const form = new RegExp(`^tw_${tier.toLowerCase()}_[0-9A-Za-z]{30}$`);
      for (const key of keys) assert.ok(form.test(key) && isWellFormed(key), key);
    }
  });

  it('uses every character about equally often', () => {
    const text = Array.from({ length: 2_000 }, () => mintKey('PRO').slice(7, 31)).join('');
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = text.length / 62;
    assert.equal(counts.size, 62);
    for (const [character, count] of counts) {
      assert.ok(Math.abs(count - expected) < 6 * Math.sqrt(expected), `${character} ${count} of ${expected}`);
    }
  });
});

describe('isWellFormed', () => {
  it('accepts a key that was issued long ago', () => {
    // A checksum that changed would lock every holder out.
    assert.ok(isWellFormed('tw_pro_dc0D73GRwLsc9Ms9KSsa9DBr15JWEZ'));
  });

  it('notices any single mistyped character, and any two that changed places', () => {
    const anyPlace = fc.nat({ max: 36 });
    fc.assert(
      fc.property(anyPlace, fc.constantFrom(...'09AZaz_- é'), fc.nat({ max: 35 }), (place, wrong, pair) => {
        const key = mintKey('PRO');
        const mistyped = key.slice(0, place) + wrong + key.slice(place + 1);
        assert.equal(isWellFormed(mistyped), mistyped === key);
        const swapped = key.slice(0, pair) + key.charAt(pair + 1) + key.charAt(pair) + key.slice(pair + 2);
        assert.equal(isWellFormed(swapped), swapped === key);
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses other forms', () => {
    const key = mintKey('FREE');
    for (const text of [
      '',
      'tw_',
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
      'demo_pro',
    ]) {
      assert.equal(isWellFormed(text), false, text);
    }
  });
});

describe('mintId', () => {
  it('makes short ids', () => assert.match(mintId(), /^[0-9A-Za-z]{8}$/));
});
