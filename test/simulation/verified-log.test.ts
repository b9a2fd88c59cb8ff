import assert from 'node:assert/strict';
import type { Store } from '../../src/store/store.ts';
import type { Output } from '../../streams/internal.ts';
import { computed, type Turn, turnsOf } from '../research/small-log.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { createVerifiedLog } from './verified-log.ts';

const TURNS = [...computed(turnsOf(60))];

describe('createVerifiedLog', () => {
  let store: Store;
  /** What was computed again, by seq. */
  let read: number[];

  beforeEach(() => {
    read = [];
    const kept = createMemoryStore();
    const { journal } = kept;
    store = {
      ...kept,
      journal: {
        ...journal,
        get head() {
          return journal.head;
        },
        get tail() {
          return journal.tail;
        },
        *read(fromSeq) {
          for (const observation of journal.read(fromSeq)) {
            read.push(observation.seq);
            yield observation;
          }
        },
      },
    };
  });

  async function keep({ observations, outputs }: Turn): Promise<void> {
    await store.journal.append(observations);
    await store.outputs.append(outputs, observations.at(-1)?.seq ?? 0);
  }

  async function keepUpTo(turns: readonly Turn[]): Promise<void> {
    for (const turn of turns) await keep(turn);
    const last = turns.at(-1);
    if (last !== undefined) await store.checkpoints.save(last.checkpoint);
  }

  it('goes on from the last checkpoint that it found right, though the store has removed it', async () => {
    const { verifyNew, verifyAll } = createVerifiedLog(store);
    await keepUpTo(TURNS.slice(0, 20));
    assert.equal(await verifyNew(), null);
    const [first] = store.checkpoints.list();
    assert.ok(first !== undefined && read.length === first.seq);
    await store.checkpoints.remove(first.seq);
    await keepUpTo(TURNS.slice(20, 40));
    read = [];
    assert.equal(await verifyNew(), null);
    assert.equal(read[0], first.seq + 1);
    assert.equal(read.at(-1), store.journal.head);
    read = [];
    assert.equal(await verifyAll(), null);
    assert.equal(read[0], 1);
  });

  it('finds what is wrong after it, in outputs and in checkpoints', async () => {
    const isOfPosts = ({ stream }: Output) => stream === 'posts';
    for (const damaged of ['an output', 'a checkpoint'] as const) {
      store = createMemoryStore();
      const { verifyNew } = createVerifiedLog(store);
      await keepUpTo(TURNS.slice(0, 20));
      assert.equal(await verifyNew(), null);
      const [verified] = store.checkpoints.list();
      for (const turn of TURNS.slice(20, 40)) {
        const isLost = damaged === 'an output' && turn.outputs.some(isOfPosts);
        await keep(isLost ? { ...turn, outputs: turn.outputs.filter((each) => !isOfPosts(each)) } : turn);
      }
      const [of20, of40] = [TURNS[19]?.checkpoint, TURNS[39]?.checkpoint];
      assert.ok(of20 !== undefined && of40 !== undefined);
      await store.checkpoints.save(damaged === 'a checkpoint' ? { ...of40, state: of20.state } : of40);
      const difference = await verifyNew();
      assert.ok(difference !== null && verified !== undefined);
      assert.equal(difference.place, damaged === 'a checkpoint' ? 'checkpoint' : 'posts');
      assert.ok(difference.seq > verified.seq);
      // What was not found right is computed again.
      assert.deepEqual(await verifyNew(), difference);
    }
  });
});
