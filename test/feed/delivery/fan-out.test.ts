import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryReader, openMemoryFeed, seqsOf } from '../memory-readers.ts';

/** Lets a commit end, which takes promises only, but no slice begin. */
async function committed(): Promise<void> {
  for (let step = 0; step < 50; step++) await Promise.resolve();
}

/** A feed that has written its first frame to some of its readers, but not to all. */
async function openWhileWriting() {
  const feed = openMemoryFeed();
  const readers = Array.from({ length: 600 }, () => new MemoryReader());
  for (const reader of readers) feed.subscribe(reader, 'test');
  feed.change('test');
  await committed();
  return { ...feed, readers };
}

describe('the fan-out', () => {
  it('sends a reader everything that is new of several channels as one', async () => {
    const { subscribe, change } = openMemoryFeed();
    const [both, one] = [new MemoryReader(), new MemoryReader()];
    subscribe(both, 'test', 'lag');
    subscribe(one, 'lag');
    both.writes.length = 0;
    one.writes.length = 0;
    change('test', 'counters', 'lag');
    await nextTurn();
    assert.deepEqual(
      both.writes.map((frames) => frames.map(({ channel }) => channel)),
      [['test', 'lag']],
    );
    assert.deepEqual(
      one.writes.map((frames) => frames.map(({ channel }) => channel)),
      [['lag']],
    );
  });

  it('sends what came while it was writing as one, every frame of it', async () => {
    const { change, readers } = await openWhileWriting();
    change('test');
    change('test');
    for (let slice = 0; slice < 10; slice++) await nextTurn();
    for (const reader of readers) {
      assert.deepEqual(seqsOf(reader.frames()), [1, 2, 3]);
      assert.ok(reader.writes.length <= 3, 'a snapshot and two writes');
    }
  });

  it('sends a reader that comes while others are written to what is not in its snapshot, frame by frame', async () => {
    const { subscribe, change } = await openWhileWriting();
    // Waits for the slices that are left.
    change('test');
    await committed();
    const late = new MemoryReader();
    subscribe(late, 'test');
    change('test');
    change('test');
    for (let slice = 0; slice < 10; slice++) await nextTurn();
    const [snapshot, ...updates] = late.frames();
    assert.equal(snapshot?.type, 'snapshot');
    assert.deepEqual(
      updates.map(({ prev_seq, merged }) => [prev_seq, merged]),
      updates.map((_, index) => [snapshot.seq + index, undefined]),
    );
    assert.deepEqual(seqsOf(updates), [3, 4]);
  });
});
