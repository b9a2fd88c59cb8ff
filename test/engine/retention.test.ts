import assert from 'node:assert/strict';
import { takeCheckpoint, thinCheckpoints } from '../../src/engine/checkpoints.ts';
import { recover } from '../../src/engine/recover.ts';
import { createRetention, type PruneReport } from '../../src/engine/retention.ts';
import { createTurns } from '../../src/engine/turns.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { emptyState, GRAPH_VERSION } from '../../streams/internal.ts';
import { manualClock } from '../support/clock.ts';
import { post, settings } from '../support/facts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';

const DAY_MS = 86_400_000;

/** Ten days with a post and a checkpoint each. */
async function tenDays() {
  const store = createMemoryStore();
  const state = emptyState();
  const clock = manualClock(100 * DAY_MS);
  const turns = createTurns({
    ...store,
    latest: createLatest(),
    state,
    clock,
    request: () => {},
    report: () => {},
  });
  await turns.accept([settings()]);
  for (let day = 1; day <= 10; day++) {
    await turns.accept([post({ id: String(day), createdAt: clock.wall() })]);
    const checkpoint = await takeCheckpoint(store, state, clock.wall());
    if (checkpoint) await store.checkpoints.save(checkpoint);
    clock.advance(DAY_MS);
  }
  return { store, now: clock.wall() };
}

/** The retention of a process that was just started; time passes for it as the test wants. */
function retain(store: Store, retentionDays: number, now: () => number | undefined) {
  const reports: PruneReport[] = [];
  const uptime = { ms: 0 };
  const prune = createRetention({
    store,
    retentionDays,
    mono: () => uptime.ms,
    agreedNow: now,
    isStopping: () => false,
    report: (report) => reports.push(report),
  });
  const passHours = async (hours: number) => {
    for (let minute = 0; minute < hours * 60; minute++) {
      uptime.ms += 60_000;
      await prune();
    }
  };
  return { reports, passHours };
}

describe('createRetention', () => {
  it('cuts the log behind the last checkpoint past the keeping time, and tells what it dropped', async () => {
    const { store, now } = await tenDays();
    const { passHours, reports } = retain(store, 4.5, () => now);
    await passHours(24);
    const [oldest] = store.checkpoints.list();
    assert.equal(oldest?.at, 105 * DAY_MS);
    assert.equal(store.journal.tail, (oldest?.seq ?? 0) + 1);
    assert.deepEqual(
      Array.from(store.outputs.read('posts', 1), ({ seq }) => seq),
      Array.from(store.journal.read(1), ({ seq }) => seq),
    );
    assert.deepEqual(reports[0], {
      type: 'pruned',
      fromSeq: 4,
      firstAt: 100 * DAY_MS,
      lastAt: 101 * DAY_MS,
    });
    assert.equal(reports.at(-1)?.fromSeq, store.journal.tail);
  });

  it('leaves what a restart needs', async () => {
    const { store, now } = await tenDays();
    await retain(store, 4.5, () => now).passHours(24);
    const latest = createLatest();
    await recover(store, latest);
    assert.equal(latest.posts('a').length, 10);
    assert.equal(store.checkpoints.oldest(GRAPH_VERSION)?.seq, store.journal.tail - 1);
  });

  it('touches nothing while all is young enough', async () => {
    const { store, now } = await tenDays();
    await retain(store, 90, () => now).passHours(24);
    assert.equal(store.journal.tail, 1);
    assert.equal(store.checkpoints.list().length, 10);
  });

  it('drops no more than a day an hour, and nothing in its first minutes', async () => {
    const { store, now } = await tenDays();
    const { passHours, reports } = retain(store, 2, () => now + 1_000 * DAY_MS);
    await passHours(9 / 60);
    assert.equal(store.journal.tail, 1);
    for (let hour = 1; hour <= 5; hour++) {
      await passHours(1);
      assert.equal(reports.length, hour);
    }
    for (const { firstAt, lastAt } of reports) assert.ok(lastAt - firstAt <= DAY_MS);
  });

  it('drops nothing while the time is in doubt', async () => {
    const { store, now } = await tenDays();
    let agreed: number | undefined;
    const { passHours, reports } = retain(store, 4.5, () => agreed);
    await passHours(24);
    assert.equal(store.journal.tail, 1);
    agreed = now;
    await passHours(2);
    assert.ok(reports.length > 0);
  });
});

describe('thinCheckpoints', () => {
  it('keeps the newest three and the first of each day', async () => {
    const store = createMemoryStore();
    const hours = [0, 1, 2, 23, 24, 25, 48, 49, 50, 51];
    for (const [index, hour] of hours.entries()) {
      await store.checkpoints.save({
        seq: index + 1,
        at: hour * 3_600_000,
        graphVersion: GRAPH_VERSION,
        state: '{}',
      });
    }
    await thinCheckpoints(store);
    assert.deepEqual(
      store.checkpoints.list().map(({ at }) => at / 3_600_000),
      [0, 24, 48, 49, 50, 51],
    );
  });
});
