import assert from 'node:assert/strict';
import * as z from 'zod';
import { type Budgets, createBudgets } from '../../src/access/limits/budgets.ts';
import type { ChannelName } from '../../src/contract/feed/names.ts';
import { type Topic, topicsOf } from '../../src/feed/channels.ts';
import { createDelivery } from '../../src/feed/delivery/delivery.ts';
import { createFanOut } from '../../src/feed/delivery/fan-out.ts';
import type { FrameBatch } from '../../src/feed/delivery/frame-batch.ts';
import { createPlaces } from '../../src/feed/delivery/places.ts';
import { Reader } from '../../src/feed/delivery/reader.ts';
import { type ChannelRequest, createSubscriptions } from '../../src/feed/delivery/subscriptions.ts';
import { follow } from '../../src/feed/follow.ts';
import { openFrameLog } from '../../src/feed/log/frame-log.ts';
import type { Change } from '../../src/feed/log/numbering.ts';
import { createRecords } from '../../src/feed/log/topic-records.ts';
import type { StoredFrames } from '../../src/store/store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { accountPath } from '../support/accounts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { NOON } from '../support/outputs.ts';

const Frame = z.looseObject({
  type: z.string(),
  channel: z.string(),
  seq: z.int(),
  prev_seq: z.int().nullable(),
  merged: z.int().optional(),
  key: z.string().optional(),
  data: z.unknown(),
});
export type ReaderFrame = z.infer<typeof Frame>;

const MUCH_UNSENT = 1_000_000;
export const TOPICS = topicsOf([accountPath('a')]);

/** A reader without a network, which takes everything at once unless it is stalled. */
export class MemoryReader extends Reader {
  readonly caller: string;
  /** The frames of each write, in order. */
  readonly writes: ReaderFrame[][] = [];
  wasTooSlow = false;
  #corked: ReaderFrame[] | undefined;
  #isStalled = false;
  #unsentBytes = 0;
  #takenBytes = 0;
  #onDrained: (() => void) | undefined;

  constructor(caller = 'anyone') {
    super();
    this.caller = caller;
  }

  frames(): readonly ReaderFrame[] {
    return this.writes.flat();
  }

  /** Takes nothing from now on: with the next write the reader is slow. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Takes everything that was written, and what follows. */
  drain(): void {
    this.#isStalled = false;
    this.#takenBytes += this.#unsentBytes;
    this.#unsentBytes = 0;
    const listener = this.#onDrained;
    this.#onDrained = undefined;
    listener?.();
  }

  override get hasKey(): boolean {
    return this.caller.startsWith('key ');
  }

  override unsentBytes(): number {
    return this.#unsentBytes;
  }

  override takenBytes(): number {
    return this.#takenBytes;
  }

  override write({ texts }: FrameBatch): boolean {
    assert.equal(this.status, 'ready', `a ${this.status} reader was written to`);
    if (this.#unsentBytes > 0) return false;
    const frames = texts.map((text) => Frame.parse(JSON.parse(text)));
    if (this.#isStalled) this.#unsentBytes = MUCH_UNSENT;
    if (this.#corked) this.#corked.push(...frames);
    else this.writes.push(frames);
    return true;
  }

  override cork(): void {
    this.#corked = [];
  }

  override uncork(): void {
    if (this.#corked?.length) this.writes.push(this.#corked);
    this.#corked = undefined;
  }

  override onceDrained(listener: () => void): void {
    assert.ok(this.#unsentBytes > 0, 'nothing is unsent');
    this.#onDrained = listener;
  }

  override closeTooSlow(): void {
    this.wasTooSlow = true;
    this.status = 'closed';
  }
}

export function topicOf(name: string): Topic {
  const topic = TOPICS.find(({ channel }) => channel.name === name);
  assert.ok(topic, name);
  return topic;
}

export function changeOf(channel: ChannelName, key: string = channel, value: unknown = {}): Change {
  const isGone = value === null;
  const text = JSON.stringify(value);
  return {
    topic: topicOf(channel),
    at: NOON,
    causes: ['clock'],
    key,
    isGone,
    record: isGone ? null : text,
    data: () => text,
  };
}

/** The feed from the frame log to its readers, without a network. */
export function openMemoryFeed(
  window: StoredFrames = createMemoryStore().feed,
  budgets: Budgets = createBudgets(Number.MAX_SAFE_INTEGER),
  mono: () => number = () => 0,
  report: (error: unknown) => void = (error) => assert.fail(String(error)),
) {
  const latest = createLatest();
  const staleAfterMs = { posts: 1, oracle: 1, ui: 1, prices: 1 };
  const counters = { sent: 0, merged: 0, replayedBytes: 0, closed: new Map<number, number>() };
  const log = openFrameLog({ window, topics: TOPICS, report });
  const records = createRecords({ latest, now: () => NOON, staleAfterMs });
  const places = createPlaces();
  const delivery = createDelivery({ log, records, places, counters, budgets, mono, report });
  const fanOut = createFanOut(log.epoch, delivery);
  const subscriptions = createSubscriptions({
    topics: TOPICS,
    log,
    fanOut,
    places,
    aheadMs: 0,
    catchUp: delivery.catchUp,
  });
  follow(
    log.frame$,
    (published) => {
      if (published.type === 'frames') fanOut.send(published.state, published.frames);
    },
    report,
  );
  const request = (reader: Reader, requests: readonly ChannelRequest[]) => {
    for (const each of subscriptions.find(requests, 'PRO')) subscriptions.subscribe(reader, each);
    delivery.catchUp(reader);
  };
  return {
    log,
    counters,
    delivery,
    subscribe: (reader: Reader, ...channels: readonly ChannelName[]) =>
      request(
        reader,
        channels.map((channel) => ({ channel })),
      ),
    resume: (reader: Reader, channel: ChannelName, seq: number) =>
      request(reader, [{ channel, resume: { epoch: log.epoch, seq } }]),
    leave(reader: Reader) {
      reader.status = 'closed';
      subscriptions.unsubscribeAll(reader);
    },
    change: (...channels: readonly ChannelName[]) =>
      log.append(
        channels.map((channel) => changeOf(channel)),
        0,
      ),
    append: (changes: readonly Change[]) => log.append(changes, 0),
  };
}

export const seqsOf = (frames: readonly ReaderFrame[]) =>
  frames.filter(({ type }) => type === 'update').map(({ seq }) => seq);
