import assert from 'node:assert/strict';
import { includes, TIERS } from '../../src/access/tiers.ts';

describe('includes', () => {
  it('gives each tier what the tiers before it have', () => {
    const held = TIERS.map((tier) => TIERS.filter((needed) => includes(tier, needed)));
    assert.deepEqual(held, [['FREE'], ['FREE', 'PRO'], ['FREE', 'PRO', 'INTERNAL']]);
  });
});
