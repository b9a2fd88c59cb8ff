import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { topicsOf } from '../../src/feed/channels.ts';
import { createFanOut, type FanOut } from '../../src/feed/fan-out.ts';
import { type Change, openLog } from '../../src/feed/log.ts';
import { createReader, createReading, type Pipe, type Reader } from '../../src/feed/reader.ts';
import { createRecords } from '../../src/feed/records.ts';
import { createSubscriptions } from '../../src/feed/subscribe.ts';
import { createLatest } from '../../src/store/latest.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { NOON } from '../support/outputs.ts';

const Frame = z.looseObject({
  type: z.string(),
  channel: z.string(),
  seq: z.int(),
  prev_seq: z.int().nullable(),
  merged: z.int().optional(),
});
type Frame = z.infer<typeof Frame>;

/** A way that takes everything at once, and notes what was sent as one. */
function openWay() {
  const sendings: Frame[][] = [];
  let held: Frame[] | undefined;
  const pipe: Pipe = {
    unsentBytes: () => 0,
    write({ texts }) {
      const frames = texts.map((text) => Frame.parse(JSON.parse(text)));
      if (held) held.push(...frames);
      else sendings.push(frames);
    },
    hold() {
      held = [];
    },
    release() {
      if (held?.length) sendings.push(held);
      held = undefined;
    },
    onceSent: () => assert.fail('nothing is ever unsent'),
    dropSlow: () => assert.fail('nobody is slow'),
  };
  return { sendings, frames: () => sendings.flat(), reader: createReader(pipe) };
}

function setUp() {
  const topics = topicsOf([{ id: 'a', segment: 'account_a' }]);
  const latest = createLatest();
  const stale = { posts: 1, oracle: 1, ui: 1, prices: 1 };
  const ages = { latest, now: () => NOON, staleAfterMs: stale };
  let fanOut: FanOut | undefined;
  const log = openLog({
    window: createMemoryStore().feed,
    topics,
    publish: (state, frames) => fanOut?.send(state, frames),
    beat: () => undefined,
    report: (error) => assert.fail(String(error)),
  });
  const reading = createReading({
    log,
    records: createRecords(ages),
    merged: () => undefined,
    sent: () => undefined,
  });
  fanOut = createFanOut(log.epoch, reading);
  const subscriptions = createSubscriptions({ topics, log, fanOut });
  const subscribe = (reader: Reader, ...channels: readonly ('test' | 'lag' | 'counters')[]) => {
    const requests = channels.map((channel) => ({ channel }));
    for (const want of subscriptions.find(requests, 'PRO')) subscriptions.begin(reader, want, 'PRO');
    reading.catchUp(reader);
  };
  const tell = (...channels: readonly string[]) => {
    const changes = channels.map((name): Change => {
      const topic = topics.find(({ channel }) => channel.name === name);
      assert.ok(topic);
      return {
        topic,
        at: NOON,
        causes: ['clock'],
        key: name,
        isGone: false,
        lines: ['{}'],
        data: () => '{}',
      };
    });
    log.tell(changes, 0);
  };
  return { subscribe, tell };
}

const seqsOf = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === 'update').map(({ seq }) => seq);

/** Lets a commit end, which takes promises only, but no slice begin. */
async function committed(): Promise<void> {
  for (let step = 0; step < 50; step++) await Promise.resolve();
}

describe('the fan-out', () => {
  it('sends a reader all that is new to him of several channels as one', async () => {
    const { subscribe, tell } = setUp();
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
    const { subscribe, tell } = setUp();
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
    const { subscribe, tell } = setUp();
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
