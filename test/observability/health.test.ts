import assert from 'node:assert/strict';
import { type HealthInputs, hasSnapshot, healthOf } from '../../src/observability/health.ts';
import { createLatest } from '../../src/views/latest.ts';
import { ACCOUNTS, accountPath } from '../support/accounts.ts';
import { STALE_AFTER_MS } from '../support/facts.ts';
import { eventOutput, FRESH_AGES, postOutput } from '../support/outputs.ts';

const WELL: HealthInputs = {
  accounts: ACCOUNTS,
  ages: FRESH_AGES,
  hasSnapshot: true,
  store: 'open',
  failedActors: 0,
  isClockRight: true,
  uptimeMs: 0,
  areCountsKnown: true,
};

describe('healthOf', () => {
  const limits: readonly (readonly [string, number])[] = [
    ['posts:a', 15_000],
    ['posts:b', 15_000],
    ['oracle:a', 30_000],
    ['oracle:b', 30_000],
    ['ui:a', 30_000],
    ['ui:b', 30_000],
    ['prices', 15_000],
    ['events', 180_000],
    ['crypto', 60_000],
  ];

  it('is degraded while the time is in doubt', () => {
    assert.equal(healthOf({ ...WELL, isClockRight: false }), 'degraded');
  });

  it('is ok when all is well', () => {
    assert.equal(healthOf(WELL), 'ok');
  });

  for (const [source, limitMs] of limits) {
    it(`is degraded from the first ms past ${limitMs} of ${source}, and so long after the start when it never answered`, () => {
      const at = (ageMs: number) => healthOf({ ...WELL, ages: { ...FRESH_AGES, [source]: ageMs } });
      const { [source]: _, ...others } = FRESH_AGES;
      assert.deepEqual([at(limitMs), at(limitMs + 1)], ['ok', 'degraded']);
      const never = (uptimeMs: number) => healthOf({ ...WELL, ages: others, uptimeMs });
      assert.deepEqual([never(limitMs), never(limitMs + 1)], ['starting', 'degraded']);
    });
  }

  it('is not degraded by the age of posts that come from the oracle’s list, until they are stale', () => {
    const listed = { id: 'a', staleAfterMs: { ...STALE_AFTER_MS, posts: 600_000 } };
    const at = (ageMs: number) =>
      healthOf({ ...WELL, accounts: [listed, accountPath('b')], ages: { ...FRESH_AGES, 'posts:a': ageMs } });
    assert.deepEqual([at(330_000), at(600_000), at(600_001)], ['ok', 'ok', 'degraded']);
  });

  it('is starting while events or their counts are not known, and worse when something is wrong', () => {
    const starting = { ...WELL, areCountsKnown: false };
    assert.equal(healthOf(starting), 'starting');
    assert.equal(healthOf({ ...starting, failedActors: 1 }), 'degraded');
    assert.equal(healthOf({ ...starting, ages: { ...FRESH_AGES, prices: 15_001 } }), 'degraded');
    assert.equal(healthOf({ ...starting, hasSnapshot: false }), 'unavailable');
  });

  it('does not ask for sources of accounts that are not tracked', () => {
    const { 'posts:b': _, ...others } = FRESH_AGES;
    assert.equal(healthOf({ ...WELL, accounts: [accountPath('a')], ages: others }), 'ok');
  });

  it('is degraded with a store that only reads, or a failed actor', () => {
    assert.equal(healthOf({ ...WELL, store: 'read_only' }), 'degraded');
    assert.equal(healthOf({ ...WELL, store: 'repaired' }), 'degraded');
    assert.equal(healthOf({ ...WELL, failedActors: 1 }), 'degraded');
  });

  it('is unavailable without a snapshot, or without a store, whatever else is wrong', () => {
    for (const fault of [{ hasSnapshot: false }, { store: 'closed' }] as const) {
      assert.equal(healthOf({ ...WELL, ages: {}, failedActors: 2, ...fault }), 'unavailable');
    }
  });
});

describe('hasSnapshot', () => {
  it('is true once a post or an event of the account is known', () => {
    for (const output of [postOutput(), eventOutput({ phase: 'closed' })]) {
      const latest = createLatest();
      assert.equal(hasSnapshot(latest, 'a'), false);
      latest.load([output]);
      assert.deepEqual([hasSnapshot(latest, 'a'), hasSnapshot(latest, 'b')], [true, false]);
    }
  });
});
