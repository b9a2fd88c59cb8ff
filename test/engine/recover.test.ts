import assert from 'node:assert/strict';
import fc from 'fast-check';
import { takeCheckpoint } from '../../src/engine/checkpoints.ts';
import { beginRecovery, lastTickOf, recover } from '../../src/engine/recover.ts';
import { createTurns } from '../../src/engine/turns.ts';
import { StoreError } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatest } from '../../src/views/latest.ts';
import {
  emptyState,
  encodeState,
  type Fact,
  GRAPH_VERSION,
  GRAPH_VERSION_BEFORE,
  lastPassing,
  type Output,
  type StreamName,
} from '../../streams/internal.ts';
import { manualClock } from '../support/clock.ts';
import { event, partition, post, settings, tracking } from '../support/facts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { ticks } from '../support/store-records.ts';

const STREAMS: readonly StreamName[] = ['posts', 'events', 'counters', 'velocity', 'prices', 'lag'];

/** A life of facts: each number is one of them. */
function lifeOf(kinds: readonly number[]): Fact[] {
  const facts: Fact[] = [settings(), event({ eventId: 1 }), { kind: 'coverage', account: 'a', fromAt: 0 }];
  kinds.forEach((kind, index) => {
    const id = String(100 + (kind % 7));
    if (kind < 5) facts.push(post({ id, createdAt: 900_000 + kind }));
    else if (kind === 5) facts.push({ kind: 'post_gone', account: 'a', id });
    else if (kind === 6)
      facts.push({ kind: 'oracle', account: 'a', trackingId: 't', total: index, syncedAt: null });
    else if (kind === 7) facts.push(tracking({ trackingId: 't' }));
    else if (kind === 8) facts.push({ kind: 'ui', eventId: 1, count: index });
    else facts.push({ kind: 'tick', ages: { 'posts:a': index } });
  });
  return facts;
}

function rowsOf(store: Store): string[] {
  return STREAMS.flatMap((stream) => Array.from(store.outputs.read(stream, 1), ({ json }) => json));
}

function turnsOn(store: Store, state = emptyState(), latest = createLatest()) {
  return createTurns({
    ...store,
    latest,
    state,
    clock: manualClock(1_000_000),
    request: () => {},
    report: () => {},
  });
}

/** The log alone, as if the engine had been killed before it stored any output. */
async function logOf(store: Store): Promise<Store> {
  const copy = createMemoryStore();
  await copy.journal.append([...store.journal.read(1)]);
  return copy;
}

describe('recover', () => {
  it('restores the last outputs of a stream without a history, from a checkpoint or from the log', async () => {
    const store = createMemoryStore();
    const state = emptyState();
    const live = createLatest();
    const turns = turnsOn(store, state, live);
    const open = event({ eventId: 1, startAt: 0, endAt: 9_000_000, buckets: partition() });
    for (const fact of [settings(), open, { kind: 'tick', ages: {} } as const]) await turns.accept([fact]);
    const said = live.get('signals', '1');
    assert.equal(said?.record.buckets.length, 3);

    const fromLog = createLatest();
    await recover(await logOf(store), fromLog);
    assert.deepEqual(fromLog.get('signals', '1'), said);

    const checkpoint = await takeCheckpoint(store, state, 1_000_000);
    assert.ok(checkpoint);
    await store.checkpoints.save(checkpoint);
    const fromCheckpoint = createLatest();
    const { replayed } = await recover(store, fromCheckpoint);
    assert.equal(replayed, 0);
    assert.deepEqual(fromCheckpoint.get('signals', '1'), said);
  });

  it('knows the stored values and their ages before it has read the checkpoint and the log', async () => {
    const store = createMemoryStore();
    const state = emptyState();
    const turns = turnsOn(store, state);
    const open = event({ eventId: 1, startAt: 0, endAt: 9_000_000, buckets: partition() });
    for (const fact of [settings(), open, { kind: 'tick', ages: { 'posts:a': 1 } } as const])
      await turns.accept([fact]);
    const checkpoint = await takeCheckpoint(store, state, 1_000_000);
    assert.ok(checkpoint);
    await store.checkpoints.save(checkpoint);
    await turns.accept([{ kind: 'tick', ages: { 'posts:a': 60_000 } }]);
    const live = createLatest();
    live.load(lastPassing(state));

    const latest = createLatest();
    const { hasValues, finish } = await beginRecovery(store, latest);
    assert.equal(hasValues, true);
    assert.deepEqual(latest.freshness(), live.freshness());
    assert.deepEqual(latest.freshness()?.record.ages, { 'posts:a': 60_000 });
    assert.ok(latest.get('events', '1'));
    assert.equal(latest.get('signals', '1'), undefined);

    const announced: Output[] = [];
    latest.change$.subscribe((outputs) => announced.push(...outputs));
    const { replayed } = await finish();
    assert.equal(replayed, 1);
    assert.deepEqual(latest.get('signals', '1'), live.get('signals', '1'));
    assert.ok(announced.some(({ stream }) => stream === 'signals'));
    assert.equal(latest.seq, store.journal.head);
  });

  it('tells how long ago the tick was that is shown, before and after it has read the log', async () => {
    const store = createMemoryStore();
    const state = emptyState();
    const turns = turnsOn(store, state);
    for (const fact of lifeOf([9])) await turns.accept([fact]);
    const checkpoint = await takeCheckpoint(store, state, 1_000_000);
    assert.ok(checkpoint);
    await store.checkpoints.save(checkpoint);
    await store.journal.append([
      { seq: store.journal.head + 1, receivedAt: 1_002_000, fact: { kind: 'tick', ages: {} } },
    ]);
    const clock = manualClock(1_010_000);
    const latest = createLatest(undefined, clock);
    const { finish } = await beginRecovery(store, latest, { elapsedMs: (at) => clock.wall() - at });
    assert.equal(latest.sinceTick(), 10_000);
    clock.advance(500);
    assert.equal(latest.sinceTick(), 10_500);
    await finish();
    assert.equal(latest.sinceTick(), 8_500);
  });

  it('has no values to serve before it is done when their ages are not known', async () => {
    const store = createMemoryStore();
    const turns = turnsOn(store);
    for (const fact of lifeOf([1, 2, 3])) await turns.accept([fact]);
    assert.equal((await beginRecovery(store, createLatest())).hasValues, false);
    const { head } = store.journal;
    await store.checkpoints.save({ seq: head, at: 0, graphVersion: GRAPH_VERSION, state: '{}' });
    assert.equal((await beginRecovery(store, createLatest())).hasValues, false);
  });

  it('stores what a crash kept from being stored, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 12 })), async (kinds) => {
        const whole = createMemoryStore();
        const turns = turnsOn(whole);
        for (const fact of lifeOf(kinds)) await turns.accept([fact]);

        const crashed = await logOf(whole);
        const latest = createLatest();
        await recover(crashed, latest);
        assert.deepEqual(rowsOf(crashed), rowsOf(whole));
        assert.equal(latest.posts('a').length, whole.outputs.latest('posts').length);
      }),
      { numRuns: 50 },
    );
  });

  describe('on a disk that refuses writes', () => {
    /** The store of an engine that was killed before it stored the outputs of its last turn, and whose disk refuses. */
    async function crashed(refusals: number) {
      const whole = createMemoryStore();
      const state = emptyState();
      const turns = turnsOn(whole, state);
      for (const fact of lifeOf([1, 2, 9])) await turns.accept([fact]);
      const checkpoint = await takeCheckpoint(whole, state, 1_000_000);
      assert.ok(checkpoint);
      const store = createMemoryStore();
      await store.journal.append([...whole.journal.read(1)]);
      await recover(store, createLatest());
      await store.checkpoints.save(checkpoint);
      await turns.accept(lifeOf([3, 4, 9]).slice(3));
      await store.journal.append([...whole.journal.read(store.journal.head + 1)]);
      let left = refusals;
      const refusing =
        <A extends readonly unknown[]>(write: (...args: A) => Promise<void>) =>
        async (...args: A) => {
          if (left-- > 0) throw new StoreError('STORE_WRITE', 'the disk does not write');
          await write(...args);
        };
      const { append, clear, prepare } = store.outputs;
      Object.assign(store.outputs, {
        append: refusing(append),
        clear: refusing(clear),
        prepare: refusing(prepare),
      });
      return { store, whole };
    }

    it('serves what is stored, and stores the rest as soon as it can', async () => {
      const { store, whole } = await crashed(0);
      const { append } = store.outputs;
      let refusals = 0;
      Object.assign(store.outputs, {
        append: async (...given: Parameters<typeof append>) => {
          if (refusals < 3) throw new StoreError('STORE_FULL', 'no space is left');
          await append(...given);
        },
      });
      const latest = createLatest();
      const onRefused = () => {
        refusals += 1;
      };
      const { hasValues, finish } = await beginRecovery(store, latest, { onRefused, retryMs: 0 });
      assert.equal(hasValues, true);
      assert.equal(latest.posts('a').length, 2);
      await finish();
      assert.equal(refusals, 3);
      assert.deepEqual(rowsOf(store), rowsOf(whole));
      assert.equal(latest.posts('a').length, 4);
    });

    it('waits until it can derive all outputs again', async () => {
      const { store, whole } = await crashed(4);
      for (const { seq } of store.checkpoints.list()) await store.checkpoints.remove(seq);
      const { finish } = await beginRecovery(store, createLatest(), { retryMs: 0 });
      await finish();
      assert.deepEqual(rowsOf(store), rowsOf(whole));
    });

    it('ends when it is stopped', async () => {
      const { store } = await crashed(0);
      let refused = () => {};
      const isRefused = new Promise<void>((resolve) => {
        refused = resolve;
      });
      Object.assign(store.outputs, {
        append: () => Promise.reject(new StoreError('STORE_FULL', 'no space is left')),
      });
      const recovery = await beginRecovery(store, createLatest(), { onRefused: refused });
      const finished = recovery.finish();
      await isRefused;
      recovery.stop();
      await assert.rejects(finished, { code: 'STORE_FULL' });
    });
  });

  it('continues from a checkpoint as if it had never stopped', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1 }),
        fc.nat(),
        async (kinds, cut) => {
          const facts = lifeOf(kinds);
          const at = cut % facts.length;
          const whole = createMemoryStore();
          const turns = turnsOn(whole);
          for (const fact of facts) await turns.accept([fact]);

          const parted = createMemoryStore();
          const state = emptyState();
          const before = turnsOn(parted, state);
          for (const fact of facts.slice(0, at)) await before.accept([fact]);
          const checkpoint = await takeCheckpoint(parted, state, 1_000_000);
          if (checkpoint) await parted.checkpoints.save(checkpoint);
          const { state: restored, replayed } = await recover(parted, createLatest());
          assert.equal(replayed, 0);
          const after = turnsOn(parted, restored);
          for (const fact of facts.slice(at)) await after.accept([fact]);
          assert.deepEqual(rowsOf(parted), rowsOf(whole));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('derives everything again when the checkpoints are of another graph', async () => {
    const store = createMemoryStore();
    const turns = turnsOn(store);
    for (const fact of lifeOf([1, 2, 3, 9])) await turns.accept([fact]);
    const rows = rowsOf(store);
    await store.checkpoints.save({ seq: 3, at: 0, graphVersion: GRAPH_VERSION + 1, state: 'of no use' });
    const { replayed } = await recover(store, createLatest());
    assert.equal(replayed, store.journal.head);
    assert.deepEqual(rowsOf(store), rows);
  });

  it('goes on from the graph before when the beginning of the log was dropped, and loses nothing', async () => {
    const store = createMemoryStore();
    const state = emptyState();
    const turns = turnsOn(store, state);
    for (const fact of lifeOf([1, 2, 3, 9])) await turns.accept([fact]);
    const { head } = store.journal;
    const saved = { seq: head, at: 0, graphVersion: GRAPH_VERSION_BEFORE, state: encodeState(state) };
    await store.checkpoints.save(saved);
    for (const fact of [post({ id: '900', createdAt: 950_000 }), tracking({ trackingId: 'u' })])
      await turns.accept([fact]);
    const rows = rowsOf(store);
    await store.journal.prune(head + 1, 1_000);
    assert.ok(store.journal.tail > 1);

    const latest = createLatest();
    const { replayed, state: restored } = await recover(store, latest);
    assert.equal(replayed, 2);
    assert.deepEqual(rowsOf(store), rows);
    assert.equal(encodeState(restored), encodeState(state));
    assert.equal(latest.posts('a').length, 4);
  });

  it('finds the last tick of the log', async () => {
    const store = createMemoryStore();
    const turns = turnsOn(store);
    for (const fact of lifeOf([9, 1, 9, 2])) await turns.accept([fact]);
    const last = lastTickOf(store);
    assert.deepEqual(last?.fact.ages, { 'posts:a': 2 });
    const before = lastTickOf(store, (last?.seq ?? 0) - 1);
    assert.ok(before !== undefined && before.seq < (last?.seq ?? 0));
    assert.equal(lastTickOf(store, 0), undefined);
  });

  it('finds no tick that is far from the end of the log', async () => {
    const store = createMemoryStore();
    await store.journal.append(ticks(1, 1));
    const [tick] = ticks(1, 1);
    assert.equal(lastTickOf(store)?.seq, 1);
    const others = Array.from({ length: 1_500 }, (_, index) => ({
      seq: index + 2,
      receivedAt: tick?.receivedAt ?? 0,
      fact: { kind: 'coverage', account: 'a', fromAt: 0 } as const,
    }));
    await store.journal.append(others);
    assert.equal(lastTickOf(store), undefined);
    await store.journal.append(ticks(1_502, 1));
    assert.equal(lastTickOf(store)?.seq, 1_502);
    assert.equal(lastTickOf(store, 1_501), undefined);
  });

  it('starts from nothing on an empty store', async () => {
    const latest = createLatest();
    const store = createMemoryStore();
    const { replayed } = await recover(store, latest);
    assert.equal(replayed, 0);
    assert.equal(lastTickOf(store), undefined);
    assert.equal(latest.seq, 0);
  });

  it('tells how much of the log it has read', async () => {
    const store = createMemoryStore();
    const turns = turnsOn(store);
    for (const fact of lifeOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])) await turns.accept([fact]);
    await turns.stop();
    const shares: number[] = [];
    const { now } = performance;
    let time = 0;
    performance.now = () => {
      time += 10;
      return time;
    };
    try {
      const onProgress = (share: number) => shares.push(share);
      const recovery = await beginRecovery(await logOf(store), createLatest(), { onProgress });
      await recovery.finish();
    } finally {
      performance.now = now;
    }
    const { head } = store.journal;
    assert.deepEqual(
      shares,
      Array.from({ length: head }, (_, index) => (index + 1) / head),
    );
  });
});
