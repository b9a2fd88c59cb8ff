import assert from 'node:assert/strict';
import { z } from 'zod';
import { topicsOf } from '../../src/feed/channels.ts';
import { createReader, createReading, type Pipe, type Reader } from '../../src/feed/delivery/delivery.ts';
import { createFanOut, type FanOut } from '../../src/feed/delivery/fan-out.ts';
import { type ChannelRequest, createSubscriptions } from '../../src/feed/delivery/subscriptions.ts';
import { type Change, openFrameLog } from '../../src/feed/log/frame-log.ts';
import { createRecords } from '../../src/feed/log/topic-records.ts';
import { createLatest } from '../../src/views/latest.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
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
export function openWay() {
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

/** Readers of a feed without a network. */
export function setUpReaders() {
  const topics = topicsOf([{ id: 'a', segment: 'account_a' }]);
  const latest = createLatest();
  const stale = { posts: 1, oracle: 1, ui: 1, prices: 1 };
  const ages = { latest, now: () => NOON, staleAfterMs: stale };
  let fanOut: FanOut | undefined;
  const log = openFrameLog({
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
  const begin = (reader: Reader, requests: readonly ChannelRequest[]) => {
    for (const want of subscriptions.find(requests, 'PRO')) subscriptions.begin(reader, want, 'PRO');
    reading.catchUp(reader);
  };
  const subscribe = (reader: Reader, ...channels: readonly ChannelRequest['channel'][]) =>
    begin(
      reader,
      channels.map((channel) => ({ channel })),
    );
  const resume = (reader: Reader, channel: ChannelRequest['channel'], seq: number) =>
    begin(reader, [{ channel, resume: { epoch: log.epoch, seq } }]);
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
  return { subscribe, resume, tell };
}

export const seqsOf = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === 'update').map(({ seq }) => seq);
