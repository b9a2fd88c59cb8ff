import assert from 'node:assert/strict';
import { type Access, createGate } from '../../src/access/gate.ts';
import { demoKeys, type Tier } from '../../src/access/tiers.ts';
import { RequestError } from '../../src/errors.ts';

describe('createGate', () => {
  const gate = createGate(demoKeys());
  const outcome = (access: Access, key: string | undefined): string => {
    try {
      return gate.admit(access, key);
    } catch (error) {
      assert.ok(error instanceof RequestError);
      assert.equal(error.status, 401);
      assert.ok(error.headers['WWW-Authenticate']);
      return error.code;
    }
  };

  it('lets each caller in where his key is enough', () => {
    const keys = [undefined, '', 'demo_free', 'demo_pro', 'demo_internal', 'nobody'];
    const table = (['open', 'tiered', 'PRO', 'INTERNAL'] as const).map((access) =>
      keys.map((key) => outcome(access, key)),
    );
    assert.deepEqual(table, [
      ['FREE', 'FREE', 'FREE', 'FREE', 'FREE', 'FREE'],
      ['FREE', 'FREE', 'FREE', 'PRO', 'INTERNAL', 'key_invalid'],
      ['key_missing', 'key_missing', 'tier_too_low', 'PRO', 'INTERNAL', 'key_invalid'],
      ['key_missing', 'key_missing', 'tier_too_low', 'tier_too_low', 'INTERNAL', 'key_invalid'],
    ]);
  });

  it('refuses a key that is not known, also one named like a property of every object', () => {
    for (const key of ['demo_Pro', ' demo_pro', 'demo_pro, demo_pro', '__proto__', 'constructor']) {
      assert.equal(outcome('tiered', key), 'key_invalid');
    }
  });

  it('refuses a key of more than 128 characters without looking it up', () => {
    const asked: string[] = [];
    const curious = createGate({
      tierOf(key: string): Tier {
        asked.push(key);
        return 'PRO';
      },
    });
    assert.equal(curious.admit('PRO', 'k'.repeat(128)), 'PRO');
    assert.throws(() => curious.admit('PRO', 'k'.repeat(129)));
    assert.equal(asked.length, 1);
  });
});
