import assert from 'node:assert/strict';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { postOutput } from '../support/outputs.ts';
import { checkNoticed } from './noticed-deletions.ts';
import { createViolations } from './violations.ts';

describe('checkNoticed', () => {
  /** The second one was never known. */
  const DELETED = ['1', '2'].map((id) => ({ id, createdAt: 1_000, deletedAt: 2_000 }));

  /** What is found of a post that is kept so, `now` after the world has begun. */
  async function foundOf(deletedAt: number | null, now: number, calmSince = 0) {
    const kept = createMemoryStore();
    const violations = createViolations(() => now);
    await kept.outputs.append([{ ...postOutput({ id: '1', deletedAt }, { seq: 1 }), key: '1' }], 1);
    checkNoticed(DELETED, { kept, violations, now, calmSince, periodMs: 100 });
    return violations.found.length;
  }

  it('finds a deletion that is not known by the time at which it has to be', async () => {
    assert.equal(await foundOf(null, 5_299), 0);
    assert.equal(await foundOf(null, 5_300), 1);
    assert.equal(await foundOf(2_500, 5_300), 0);
  });

  it('gives it time until faults have been over for some polls', async () => {
    assert.equal(await foundOf(null, 9_299, 9_000), 0);
    assert.equal(await foundOf(null, 9_300, 9_000), 1);
  });
});
