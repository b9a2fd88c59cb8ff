import assert from 'node:assert/strict';
import { takeCheckpoint, thinCheckpoints } from '../../src/engine/checkpoints.ts';
import { recover } from '../../src/engine/recover.ts';
import { pruneStep } from '../../src/engine/retention.ts';
import { createTurns } from '../../src/engine/turns.ts';
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
    const checkpoint = takeCheckpoint(store, state, clock.wall());
    if (checkpoint) await store.checkpoints.save(checkpoint);
    clock.advance(DAY_MS);
  }
  return { store, now: clock.wall() };
}

describe('pruneStep', () => {
  it('cuts the log behind the last checkpoint past the keeping time', async () => {
    const { store, now } = await tenDays();
    while (await pruneStep(store, 4.5, now));
    const [oldest] = store.checkpoints.list();
    assert.equal(oldest?.at, 105 * DAY_MS);
    assert.equal(store.journal.tail, (oldest?.seq ?? 0) + 1);
    assert.deepEqual(
      Array.from(store.outputs.read('posts', 1), ({ seq }) => seq),
      Array.from(store.journal.read(1), ({ seq }) => seq),
    );
  });

  it('leaves what a restart needs', async () => {
    const { store, now } = await tenDays();
    while (await pruneStep(store, 4.5, now));
    const latest = createLatest();
    await recover(store, latest);
    assert.equal(latest.posts('a').length, 10);
    assert.equal(store.checkpoints.oldest(GRAPH_VERSION)?.seq, store.journal.tail - 1);
  });

  it('touches nothing while all is young enough', async () => {
    const { store, now } = await tenDays();
    assert.equal(await pruneStep(store, 90, now), false);
    assert.equal(store.journal.tail, 1);
    assert.equal(store.checkpoints.list().length, 10);
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
