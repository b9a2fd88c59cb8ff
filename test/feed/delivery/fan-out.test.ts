import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { openWay, seqsOf, setUpReaders } from '../readers.ts';

/** Lets a commit end, which takes promises only, but no slice begin. */
async function committed(): Promise<void> {
  for (let step = 0; step < 50; step++) await Promise.resolve();
}

describe('the fan-out', () => {
  it('sends a reader all that is new to him of several channels as one', async () => {
    const { subscribe, tell } = setUpReaders();
    const [both, one] = [openWay(), openWay()];
    subscribe(both.reader, 'test', 'lag');
    subscribe(one.reader, 'lag');
    both.sendings.length = 0;
    one.sendings.length = 0;
    tell('test', 'counters', 'lag');
    await turn();
    assert.deepEqual(
      both.sendings.map((frames) => frames.map(({ channel }) => channel)),
      [['test', 'lag']],
    );
    assert.deepEqual(
      one.sendings.map((frames) => frames.map(({ channel }) => channel)),
      [['lag']],
    );
  });

  it('sends what came while it was writing as one, every frame of it', async () => {
    const { subscribe, tell } = setUpReaders();
    const ways = Array.from({ length: 600 }, openWay);
    for (const { reader } of ways) subscribe(reader, 'test');
    tell('test');
    await committed();
    tell('test');
    tell('test');
    for (let slice = 0; slice < 10; slice++) await turn();
    for (const { sendings, frames } of ways) {
      assert.deepEqual(seqsOf(frames()), [1, 2, 3]);
      assert.ok(sendings.length <= 3, 'a snapshot and two writes');
    }
  });

  it('sends one who comes while others are written to what is not in his snapshot, frame by frame', async () => {
    const { subscribe, tell } = setUpReaders();
    const ways = Array.from({ length: 600 }, openWay);
    for (const { reader } of ways) subscribe(reader, 'test');
    tell('test');
    await committed();
    // Waits for the slices that are left.
    tell('test');
    await committed();
    const late = openWay();
    subscribe(late.reader, 'test');
    tell('test');
    tell('test');
    for (let slice = 0; slice < 10; slice++) await turn();
    const [snapshot, ...updates] = late.frames();
    assert.equal(snapshot?.type, 'snapshot');
    assert.deepEqual(
      updates.map(({ prev_seq, merged }) => [prev_seq, merged]),
      updates.map((_, index) => [snapshot.seq + index, undefined]),
    );
    assert.deepEqual(seqsOf(updates), [3, 4]);
  });
});
