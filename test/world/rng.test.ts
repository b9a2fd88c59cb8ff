import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createRng, hash32, hex, unit, uuid } from '../../src/world/rng.ts';

describe('rng', () => {
  it('gives the same numbers for the same parts', () => {
    const [left, right] = [createRng(7, 'day', 3), createRng(7, 'day', 3)];
    for (let index = 0; index < 50; index++) assert.equal(left.next(), right.next());
    assert.notEqual(createRng(8, 'day', 3).next(), createRng(7, 'day', 3).next());
  });

  it('gives different hashes to instants that differ only above 32 bits', () => {
    assert.notEqual(hash32(1), hash32(1 + 2 ** 32));
  });

  it('depends on the order of its parts', () => {
    assert.notEqual(hash32('a', 1), hash32(1, 'a'));
    assert.notEqual(hash32('ab', 'c'), hash32('a', 'bc'));
  });

  it('spreads evenly over [0, 1)', () => {
    const bins = new Array<number>(10).fill(0);
    for (let index = 0; index < 20_000; index++) {
      const bin = Math.floor(unit('even', index) * 10);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    for (const count of bins) assert.ok(count > 1_800 && count < 2_200, String(bins));
  });

  it('keeps whole numbers inside their bounds', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), fc.nat(100), (seed, low, width) => {
        const value = createRng(seed).int(low, low + width);
        return Number.isInteger(value) && value >= low && value <= low + width;
      }),
    );
  });

  it('draws normal numbers with mean 0 and deviation 1', () => {
    const rng = createRng('normal');
    const values = Array.from({ length: 20_000 }, () => rng.normal());
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    assert.ok(Math.abs(mean) < 0.03 && Math.abs(variance - 1) < 0.05, `${mean} ${variance}`);
  });

  it('writes ids of the asked length', () => {
    assert.match(hex(64, 'x'), /^[0-9a-f]{64}$/);
    assert.match(uuid('x'), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
