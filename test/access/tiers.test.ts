import assert from 'node:assert/strict';
import { demoKeys, includes, type Tier } from '../../src/access/tiers.ts';

const TIERS: readonly Tier[] = ['FREE', 'PRO', 'INTERNAL'];

describe('includes', () => {
  it('gives each tier what the tiers before it have', () => {
    const held = TIERS.map((tier) => TIERS.filter((needed) => includes(tier, needed)));
    assert.deepEqual(held, [['FREE'], ['FREE', 'PRO'], ['FREE', 'PRO', 'INTERNAL']]);
  });
});

describe('demoKeys', () => {
  it('has a key of each tier', () => {
    assert.deepEqual(
      ['demo_free', 'demo_pro', 'demo_internal'].map((key) => demoKeys().tierOf(key)),
      TIERS,
    );
  });
});
