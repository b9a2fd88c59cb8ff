import assert from 'node:assert/strict';
import { demoKeys, includes, type Tier, tierOfCaller } from '../../src/access/tiers.ts';
import { RequestError } from '../../src/errors.ts';

const TIERS: readonly Tier[] = ['FREE', 'PRO', 'INTERNAL'];

describe('includes', () => {
  it('gives each tier what the tiers before it have', () => {
    const held = TIERS.map((tier) => TIERS.filter((needed) => includes(tier, needed)));
    assert.deepEqual(held, [['FREE'], ['FREE', 'PRO'], ['FREE', 'PRO', 'INTERNAL']]);
  });
});

describe('tierOfCaller', () => {
  const refused = (key: string) =>
    assert.throws(
      () => tierOfCaller(demoKeys(), key),
      (error) => error instanceof RequestError && error.status === 401 && error.code === 'key_invalid',
    );

  it('takes a caller without a key for FREE', () => {
    assert.equal(tierOfCaller(demoKeys(), undefined), 'FREE');
    assert.equal(tierOfCaller(demoKeys(), ''), 'FREE');
  });

  it('knows the demo keys', () => {
    const tiers = ['demo_free', 'demo_pro', 'demo_internal'].map((key) => tierOfCaller(demoKeys(), key));
    assert.deepEqual(tiers, TIERS);
  });

  it('refuses a key that is not known, also one named like a property of every object', () => {
    for (const key of ['demo_Pro', ' demo_pro', 'demo_pro, demo_pro', '__proto__', 'constructor'])
      refused(key);
  });

  it('refuses a key of more than 128 characters without looking it up', () => {
    const asked: string[] = [];
    const keys = {
      tierOf(key: string): Tier {
        asked.push(key);
        return 'PRO';
      },
    };
    assert.equal(tierOfCaller(keys, 'k'.repeat(128)), 'PRO');
    assert.throws(() => tierOfCaller(keys, 'k'.repeat(129)));
    assert.equal(asked.length, 1);
  });
});
