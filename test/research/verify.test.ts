import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Verdict, verify } from '../../src/research/verify.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { PRUNED_BEFORE_NOTE, type Store } from '../../src/store/store.ts';
import { GRAPH_VERSION, KEPT_STREAMS, type Output, type StreamName } from '../../streams/internal.ts';
import { computed, keptLines, type Recording, record, START_AT, turnsOf, withStore } from './small-log.ts';

const SECONDS = 60;

async function verdictOf(
  recording: Partial<Recording>,
  damage?: (store: Store) => Promise<void>,
): Promise<Verdict> {
  let verdict: Verdict | undefined;
  await withStore(async (store) => {
    await record(store, { seconds: SECONDS, ...recording });
    await damage?.(store);
    verdict = await verify(store);
  });
  assert.ok(verdict);
  return verdict;
}

/** The second output of the counters in the whole log, which the tests damage. */
const target = [...computed(turnsOf(SECONDS))]
  .flatMap(({ outputs }) => outputs)
  .filter(({ stream }) => stream === 'counters')[1];
assert.ok(target?.stream === 'counters');
const isTarget = (output: Output) => JSON.stringify(output) === JSON.stringify(target);
const altered: Output = { ...target, record: { ...target.record, real: 99 } };

/** The store with other latest values of some streams, and another mark. */
function lying(store: Store, latest: Partial<Record<StreamName, readonly Output[]>>, upTo?: number): Store {
  const { outputs } = store;
  return {
    ...store,
    outputs: {
      ...outputs,
      upTo: upTo ?? outputs.upTo,
      latest: (stream) => latest[stream] ?? outputs.latest(stream),
    },
  };
}

describe('verify', () => {
  it('finds a store identical to its log and gives count and digest of each stream', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS });
      const verdict = await verify(store);
      assert.equal(verdict.difference, null);
      assert.equal(verdict.checkpoints, 6);
      assert.equal(verdict.fromSeq, 1);
      assert.equal(verdict.toSeq, store.outputs.upTo);
      assert.deepEqual(
        verdict.streams.map(({ stream }) => stream),
        KEPT_STREAMS,
      );
      for (const { stream, count, sha256 } of verdict.streams) {
        const lines = keptLines(store, stream);
        assert.equal(count, lines.length);
        assert.equal(sha256, createHash('sha256').update(lines.join('\n')).digest('hex'));
      }
      const counts = verdict.streams.map(({ count }) => count);
      assert.ok(counts.filter((count) => count > 0).length >= 7, `outputs per stream: ${counts}`);
    });
  });

  it('finds an empty store identical', async () => {
    await withStore(async (store) => {
      const { difference, toSeq } = await verify(store);
      assert.deepEqual({ difference, toSeq }, { difference: null, toSeq: 0 });
    });
  });

  it('names an output that was altered', async () => {
    const { difference } = await verdictOf({
      outputs: ({ outputs }) => outputs.map((output) => (isTarget(output) ? altered : output)),
    });
    assert.deepEqual(difference, {
      place: 'counters',
      seq: target.seq,
      kept: JSON.stringify(altered),
      recomputed: JSON.stringify(target),
    });
  });

  it('names an output that is missing', async () => {
    const { difference } = await verdictOf({
      outputs: ({ outputs }) => outputs.filter((output) => !isTarget(output)),
    });
    assert.equal(difference?.place, 'counters');
    assert.equal(difference?.seq, target.seq);
    assert.equal(difference?.recomputed, JSON.stringify(target));
  });

  it('names an output that nothing in the log explains', async () => {
    const extra: Output = { ...altered, at: 0 };
    const { difference } = await verdictOf({
      outputs: ({ outputs }) => outputs.flatMap((output) => (isTarget(output) ? [output, extra] : [output])),
    });
    assert.deepEqual(difference, {
      place: 'counters',
      seq: target.seq,
      kept: JSON.stringify(extra),
      recomputed: null,
    });
  });

  it('names an output more at the very end', async () => {
    const { difference } = await verdictOf({}, async (store) => {
      const seq = store.journal.head + 1;
      await store.journal.append([
        { seq, receivedAt: START_AT + SECONDS * 1_000, fact: { kind: 'spot', ticks: [] } },
      ]);
      await store.outputs.append([{ ...altered, seq, key: 'none' }], seq);
    });
    assert.equal(difference?.place, 'counters');
    assert.match(String(difference?.kept), /"key":"none"/);
  });

  it('notices that the log was altered', async () => {
    const { difference } = await verdictOf({
      observations: ({ observations }) =>
        observations.map((each) =>
          each.fact.kind === 'post' && each.fact.id === '1010'
            ? { ...each, fact: { ...each.fact, text: 'something else' } }
            : each,
        ),
    });
    assert.equal(difference?.place, 'posts');
    assert.match(String(difference?.kept), /post 10/);
    assert.match(String(difference?.recomputed), /something else/);
  });

  it('names a checkpoint that is not the state at its place', async () => {
    const seqs: number[] = [];
    const { difference } = await verdictOf({
      checkpoint: ({ checkpoint }) => {
        seqs.push(checkpoint.seq);
        return seqs.length === 3
          ? { ...checkpoint, state: checkpoint.state.replace('1002', '1003') }
          : checkpoint;
      },
    });
    assert.equal(difference?.place, 'checkpoint');
    assert.equal(difference?.seq, seqs[2]);
  });

  it('names a checkpoint beyond the end of the log', async () => {
    const { difference } = await verdictOf({}, async (store) => {
      await store.checkpoints.save({ seq: 9_999, at: 0, graphVersion: GRAPH_VERSION, state: '{}' });
    });
    assert.deepEqual([difference?.place, difference?.seq], ['checkpoint', 9_999]);
  });

  it('passes over checkpoints of another graph', async () => {
    const { difference, checkpoints } = await verdictOf({
      checkpoint: ({ checkpoint }) => ({ ...checkpoint, graphVersion: GRAPH_VERSION + 1, state: 'foreign' }),
    });
    assert.deepEqual({ difference, checkpoints }, { difference: null, checkpoints: 0 });
  });

  it('allows the outputs after the mark to be missing', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS, unstored: 3 });
      assert.ok(store.outputs.upTo < store.journal.head);
      const { difference, toSeq } = await verify(store);
      assert.deepEqual({ difference, toSeq }, { difference: null, toSeq: store.outputs.upTo });
    });
  });

  it('names a log that ends before the outputs do', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS });
      const { head } = store.journal;
      await store.outputs.append([], head + 5);
      const { difference } = await verify(store);
      assert.deepEqual([difference?.place, difference?.seq], ['log', head + 1]);
    });
  });

  it('names a latest value that history does not end with', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS });
      const stale = store.outputs.latest('velocity').map((output) => ({ ...output, at: 1 }));
      const { difference } = await verify(lying(store, { velocity: stale }));
      assert.equal(difference?.place, 'latest velocity');
      assert.match(String(difference?.kept), /"at":1,/);
    });
  });

  it('names a latest value that is missing', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS });
      const { difference } = await verify(lying(store, { velocity: [] }));
      assert.deepEqual([difference?.place, difference?.kept], ['latest velocity', null]);
    });
  });

  it('names an output beyond the mark', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS });
      const upTo = store.outputs.upTo - 40;
      const { difference } = await verify(lying(store, {}, upTo));
      assert.ok(difference !== null && difference.seq > upTo);
      assert.equal(difference.recomputed, null);
      assert.doesNotMatch(difference.place, /latest/);
    });
  });

  it('starts at the oldest checkpoint when the beginning of the log was dropped', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS });
      const cut = store.checkpoints.list()[1];
      assert.ok(cut);
      await store.outputs.prune(cut.seq + 1, 10_000);
      await store.journal.prune(cut.seq + 1, 10_000);
      await store.checkpoints.remove(store.checkpoints.list()[0]?.seq ?? 0);
      const { difference, fromSeq, checkpoints } = await verify(store);
      assert.deepEqual(
        { difference, fromSeq, checkpoints },
        { difference: null, fromSeq: cut.seq + 1, checkpoints: 4 },
      );
    });
  });

  it('leaves out history that is being dropped, as noted in the folder', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS });
      const cut = store.checkpoints.list()[1];
      assert.ok(cut);
      await store.outputs.prune(cut.seq + 1, 5);
      assert.notEqual((await verify(store)).difference, null);
      await store.notes.set(PRUNED_BEFORE_NOTE, String(cut.seq + 1));
      const { difference, fromSeq } = await verify(store);
      assert.deepEqual({ difference, fromSeq }, { difference: null, fromSeq: cut.seq + 1 });
    });
  });

  it('refuses a cut log without a checkpoint to start from', async () => {
    await withStore(async (store) => {
      await record(store, { seconds: SECONDS });
      const { journal, checkpoints } = store;
      await journal.prune(journal.head - 10, 10_000);
      for (const { seq } of checkpoints.list()) await checkpoints.remove(seq);
      await assert.rejects(verify(store), { code: 'STORE_NO_START' });
    });
  });

  it('agrees with a store that is being written by another', async () => {
    await withStore(async (store, folder) => {
      await record(store, { seconds: 30 });
      const reader = await openStore(folder, { readOnly: true });
      try {
        let isDone = false;
        const writing = (async () => {
          for (const { observations, outputs } of [...computed(turnsOf(45))].slice(30)) {
            await store.journal.append(observations);
            await store.outputs.append(outputs, observations.at(-1)?.seq ?? 0);
          }
          isDone = true;
        })();
        for (let rounds = 0; !isDone || rounds < 2; rounds++) {
          const { difference } = await verify(reader);
          assert.equal(difference, null);
          // Lets the writer go on.
          await new Promise((resolve) => setImmediate(resolve));
        }
        await writing;
        assert.equal((await verify(reader)).toSeq, store.outputs.upTo);
      } finally {
        await reader.close();
      }
    });
  });
});
