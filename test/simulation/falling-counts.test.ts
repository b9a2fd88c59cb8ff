import assert from 'node:assert/strict';
import type { Fact } from '../../streams/internal.ts';
import { post, tick, tracking } from '../support/facts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { countersOutput } from '../support/outputs.ts';
import { createFallingCounts } from './falling-counts.ts';
import { createViolations } from './violations.ts';

const TICK = tick();

/** Whether the counts are right where each comes with the fact beside it. */
async function isRight(...steps: readonly (readonly [Fact, number | null])[]): Promise<boolean> {
  const kept = createMemoryStore();
  const violations = createViolations(() => 0);
  const falling = createFallingCounts({ kept, violations });
  for (const [at, [fact, real]] of steps.entries()) {
    const seq = at + 1;
    await kept.journal.append([{ seq, receivedAt: seq, fact }]);
    falling.onKept('outputs', 'append', [[countersOutput({ eventId: 5, real }, { seq })], seq]);
  }
  return violations.found.length === 0;
}

describe('createFallingCounts', () => {
  it('lets a count grow, be unknown for a while, and fall with another window or version of a post', async () => {
    assert.ok(await isRight([TICK, 3], [TICK, 4], [TICK, null], [TICK, 4]));
    assert.ok(await isRight([TICK, 3], [tracking(), 1]));
    assert.ok(await isRight([post({ id: '1' }), 3], [post({ id: '1' }), 2]));
  });

  it('finds one that falls with anything else', async () => {
    assert.ok(!(await isRight([TICK, 3], [TICK, 2])));
    assert.ok(!(await isRight([TICK, 3], [{ kind: 'post_gone', account: 'a', id: '1' }, 2])));
    assert.ok(!(await isRight([post({ id: '1' }), 3], [post({ id: '2' }), 2])));
    assert.ok(!(await isRight([TICK, 3], [TICK, null], [TICK, 2])));
  });
});
