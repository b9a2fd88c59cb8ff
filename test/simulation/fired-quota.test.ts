import assert from 'node:assert/strict';
import { createFiredQuota } from './fired-quota.ts';
import { FAULT_KINDS } from './plan.ts';

describe('createFiredQuota', () => {
  it('adds up what happened in simulations, with those that never happened', () => {
    const quota = createFiredQuota(FAULT_KINDS);
    quota.add({ kill: 3, slow_disk: 4 });
    quota.add({ kill: 2 });
    const fired = new Map(quota.fired);
    assert.deepEqual([fired.get('kill'), fired.get('slow_disk'), fired.get('full_disk')], [5, 4, 0]);
    assert.equal(fired.size, FAULT_KINDS.length);
    assert.deepEqual(quota.fired.at(-1), ['kill', 5]);
  });
});
