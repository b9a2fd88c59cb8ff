import assert from 'node:assert/strict';
import { seedOf } from '../../../streams/model/seed.ts';

describe('seedOf', () => {
  it('is 32 bits, the same for the same event and model, another for any other', () => {
    const seeds = Array.from({ length: 2_000 }, (_, eventId) => seedOf(eventId, 'one'));
    assert.deepEqual(
      seeds,
      seeds.map((_, eventId) => seedOf(eventId, 'one')),
    );
    assert.equal(new Set(seeds).size, seeds.length);
    assert.ok(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32));
    assert.notEqual(seedOf(7, 'one'), seedOf(7, 'two'));
  });

  it('uses every bit about half of the time', () => {
    const seeds = Array.from({ length: 4_000 }, (_, eventId) => seedOf(eventId, 'one'));
    for (let bit = 0; bit < 32; bit++) {
      const share = seeds.filter((seed) => (seed >>> bit) & 1).length / seeds.length;
      assert.ok(Math.abs(share - 0.5) < 0.05, `bit ${bit} is set in ${share}`);
    }
  });
});
