import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createBudgets } from '../../../src/access/limits/budgets.ts';
import type { ChannelName } from '../../../src/contract/feed/names.ts';
import { createDelivery } from '../../../src/feed/delivery/delivery.ts';
import { createFanOut } from '../../../src/feed/delivery/fan-out.ts';
import { createPlaces } from '../../../src/feed/delivery/places.ts';
import type { Reader } from '../../../src/feed/delivery/reader.ts';
import { createSubscriptions } from '../../../src/feed/delivery/subscriptions.ts';
import { follow } from '../../../src/feed/follow.ts';
import { createFollowedFrames } from '../../../src/feed/log/followed-frames.ts';
import { openFrameLog, type PublishedFrames } from '../../../src/feed/log/frame-log.ts';
import { createRecords } from '../../../src/feed/log/topic-records.ts';
import type { StoredFrames } from '../../../src/store/store.ts';
import { createLatest } from '../../../src/views/latest.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryFrames } from '../../support/memory-store/frames.ts';
import { NOON } from '../../support/outputs.ts';
import { changeOf, MemoryReader, seqsOf, TOPICS } from '../memory-readers.ts';

type Batch = Parameters<StoredFrames['append']>[0];

const EPOCH = 'of-the-cluster';
const CHANNELS: readonly ChannelName[] = ['counters', 'tweets', 'test'];

const report = (error: unknown) => assert.fail(String(error));

/** A leading frame log whose batches are collected. */
function openLeader() {
  const batches: Batch[] = [];
  const share = async (batch: Batch) => void batches.push(batch);
  const log = openFrameLog({
    window: createMemoryFrames(),
    topics: TOPICS,
    epoch: EPOCH,
    share,
    report,
  });
  return { log, batches };
}

/** A machine that follows. */
function openFollower(aheadMs = 60_000) {
  const window = createMemoryFrames();
  const frames = createFollowedFrames({
    epoch: EPOCH,
    topics: TOPICS,
    window,
    stored: [],
    storedUpTo: () => 0,
  });
  return {
    ...serve(frames, aheadMs),
    async take({ rows, upTo, ...rest }: Batch) {
      await window.append({ rows, upTo, ...rest });
      frames.publish({ rows, covers: () => true });
    },
  };
}

function serve(log: PublishedFrames, aheadMs: number) {
  const staleAfterMs = { posts: 1, oracle: 1, ui: 1, prices: 1 };
  const places = createPlaces();
  const delivery = createDelivery({
    log,
    places,
    records: createRecords({ latest: createLatest(), now: () => NOON, staleAfterMs }),
    counters: { sent: 0, merged: 0, replayedBytes: 0, closed: new Map() },
    budgets: createBudgets(Number.MAX_SAFE_INTEGER),
    mono: () => 0,
    report,
  });
  const fanOut = createFanOut(log.epoch, delivery);
  const subscriptions = createSubscriptions({
    topics: TOPICS,
    log,
    fanOut,
    places,
    aheadMs,
    catchUp: delivery.catchUp,
  });
  follow(
    log.frame$,
    (published) => {
      if (published.type === 'frames') fanOut.send(published.state, published.frames);
    },
    report,
  );
  return {
    subscribe(reader: Reader, channel: ChannelName, seq?: number) {
      const resume = seq === undefined ? {} : { resume: { epoch: EPOCH, seq } };
      const answers = subscriptions
        .find([{ channel, ...resume }], 'PRO')
        .map((request) => subscriptions.subscribe(reader, request));
      delivery.catchUp(reader);
      return answers;
    },
  };
}

describe('followed frames', () => {
  it('reach readers with the very texts of the process that numbered them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.tuple(fc.constantFrom(...CHANNELS), fc.constantFrom('x', 'y', null)))),
        async (turns) => {
          const { log, batches } = openLeader();
          const follower = openFollower();
          const [own, other] = [new MemoryReader(), new MemoryReader()];
          const leader = serve(log, 0);
          for (const channel of CHANNELS) {
            leader.subscribe(own, channel);
            follower.subscribe(other, channel);
          }
          turns.forEach((turn, upTo) => {
            log.append(
              turn.map(([channel, value]) => changeOf(channel, value ?? 'x', value)),
              upTo,
            );
          });
          await log.stop();
          for (const batch of batches) await follower.take(batch);
          const count = turns.flat().length;
          await eventually('all frames have come', () => seqsOf(other.frames()).length === count);
          const texts = (reader: MemoryReader) =>
            CHANNELS.map((channel) => reader.frames().filter((frame) => frame.channel === channel));
          assert.deepEqual(texts(other), texts(own));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('keep a reader waiting whose cursor is ahead of them, and then send what comes after it', async () => {
    const { log, batches } = openLeader();
    const follower = openFollower();
    for (const upTo of [1, 2, 3, 4]) {
      log.append([changeOf('counters')], upTo);
      await new Promise(setImmediate);
    }
    await log.stop();
    const [first, ...rest] = batches;
    assert.ok(first);
    await follower.take(first);
    const reader = new MemoryReader();
    const [answer] = follower.subscribe(reader, 'counters', 3);
    assert.deepEqual([answer?.isResumed, answer?.seq, answer?.oldestSeq], [true, 3, undefined]);
    for (const batch of rest) await follower.take(batch);
    await eventually('the frame after the cursor has come', () => reader.frames().length > 0);
    assert.deepEqual(
      reader.frames().map(({ type, seq, prev_seq }) => [type, seq, prev_seq]),
      [['update', 4, 3]],
    );
  });

  it('send a snapshot instead when they stay behind the cursor', async () => {
    const follower = openFollower(1);
    const reader = new MemoryReader();
    follower.subscribe(reader, 'counters', 3);
    await eventually('a snapshot has come', () => reader.frames().length > 0);
    assert.deepEqual(
      reader.frames().map(({ type, seq }) => [type, seq]),
      [['snapshot', 0]],
    );
  });
});
