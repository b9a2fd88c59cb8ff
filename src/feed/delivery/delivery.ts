import { LRUCache } from 'lru-cache';
import type { Budgets } from '../../access/limits/budgets.ts';
import type { Audience } from '../../views/audience.ts';
import type { FeedCounters } from '../figures.ts';
import type { PublishedFrames } from '../log/frame-log.ts';
import { type Frame, snapshotText } from '../log/frames.ts';
import type { TopicState } from '../log/numbering.ts';
import type { Records } from '../log/topic-records.ts';
import { batchOf, bytesOf, type FrameBatch, updatesBatch } from './frame-batch.ts';
import { createPastRoom } from './past-room.ts';
import type { Places } from './places.ts';
import type { Place, Reader, Subscription } from './reader.ts';
import { createReplayBatches, type ReplayStep, stepThrough } from './replay-batches.ts';

/** A reader that is further behind on a lossless topic is disconnected. */
const TOO_SLOW_BYTES = 1_024 * 1_024;
/** How often it is looked whether readers that wait can go on. */
const CHECK_MS = 100;
/** Steps before other work of the process gets its turn. */
const STEPS_PER_TURN = 8;
/** Snapshots are cached by topic and audience, and each bankroll is an audience. */
const MAX_SNAPSHOTS = 100;

/** Successive new frames of one topic, rendered once for each audience. */
export interface NewFrames {
  readonly frames: readonly Frame[];
  readonly firstSeq: number;
  /** The place of a live reader that was sent all of them. */
  readonly place: Extract<Place, { readonly type: 'live' }>;
  batch(audience: Audience): FrameBatch;
}

interface DeliveryDeps {
  readonly log: PublishedFrames;
  readonly records: Records;
  readonly places: Places;
  readonly counters: FeedCounters;
  /** What callers are sent of the past, snapshots and missed frames, over all their connections. */
  readonly budgets: Budgets;
  /** Ms that never go back. */
  readonly mono: () => number;
  /** Receives an error of the log. The reader it was read for gets no more until something new is published. */
  readonly report: (error: unknown) => void;
}

/** Sends each reader what it subscribed to, as fast as it reads. */
export interface Delivery {
  sendNew(subscription: Subscription, news: NewFrames): void;
  /** Sends something that a slow reader can miss. */
  sendUnnumbered(reader: Reader, batch: FrameBatch): void;
  /** Sends what the reader lacks, as its caller's budget allows. Has to be called after it subscribed. */
  catchUp(reader: Reader): void;
  /** Sends those that are live a new snapshot, as theirs may say what no longer holds and no frame corrects. */
  sendAgain(subscriptions: Iterable<Subscription>): void;
  /** Readers that lack something and wait for the budget of their caller, or until others have taken what they were sent. */
  readonly waiting: number;
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { log, records, places, counters, budgets, mono, report } = deps;
  const snapshots = new LRUCache<string, { readonly asOf: string; readonly batch: FrameBatch }>({
    max: MAX_SNAPSHOTS,
  });
  /** Readers that are behind, in the order of their next step. */
  const queue = new Set<Reader>();
  let isServing = false;
  /** Readers without a budget or without room, in the order in which they go on. */
  const waiting = new Set<Reader>();
  const replays = createReplayBatches(log);
  const room = createPastRoom(mono);
  let isCheckDue = false;

  /** Writes the batch, or finds that the reader is slow: returns whether it was written. */
  function write(subscription: Subscription, batch: FrameBatch): boolean {
    const { reader } = subscription;
    if (!reader.write(batch, subscription)) {
      waitUntilDrained(reader);
      return false;
    }
    counters.sent += batch.texts.length;
    return true;
  }

  function waitUntilDrained(reader: Reader): void {
    reader.status = 'slow';
    reader.onceDrained(() => {
      if (reader.status !== 'slow') return;
      reader.status = 'ready';
      catchUp(reader);
    });
  }

  /** Counts what a reader was sent of the past. */
  function countPast({ reader }: Subscription, bytes: number): void {
    budgets.take(budgets.of(reader.caller), bytes, mono());
    counters.replayedBytes += bytes;
    room.wrote(reader);
    checkLater();
  }

  function mayHavePast(reader: Reader): boolean {
    return budgets.waitMs(budgets.of(reader.caller), mono()) === 0 && room.hasRoomFor(reader);
  }

  /** Whether the next step is paid for and has room. If not, the reader gets its turn once it is and has. */
  function mayGoOn({ reader, place }: Subscription): boolean {
    if (place.type === 'live' || mayHavePast(reader)) return true;
    waiting.add(reader);
    checkLater();
    return false;
  }

  function checkLater(): void {
    if (isCheckDue || (waiting.size === 0 && !room.isWaitedFor)) return;
    isCheckDue = true;
    setTimeout(goOn, CHECK_MS).unref();
  }

  function goOn(): void {
    isCheckDue = false;
    room.recount();
    const due = Array.from(waiting).filter((reader) => reader.status === 'closed' || mayHavePast(reader));
    for (const reader of due) waiting.delete(reader);
    for (const reader of due) catchUp(reader);
    checkLater();
  }

  function isBehind({ place, state }: Subscription): boolean {
    return 'seq' in place && place.seq < state.publishedSeq;
  }

  function snapshotOf({ state, audience }: Subscription): FrameBatch {
    const { topic, publishedSeq } = state;
    const name = `${topic.name} ${audience.name}`;
    // Many readers connect after a restart, and share one snapshot.
    const asOf = `${publishedSeq} ${records.moment()}`;
    const known = snapshots.get(name);
    if (known?.asOf === asOf) return known.batch;
    const data = records.all(topic, audience, log.publishedUpTo(topic));
    const text = snapshotText(log.epoch, {
      topic,
      seq: publishedSeq,
      at: records.at(),
      data,
      areAllKnown: records.areAllKnown(topic),
    });
    const batch = batchOf([text], [publishedSeq]);
    snapshots.set(name, { asOf, batch });
    return batch;
  }

  function sendSnapshot(subscription: Subscription): void {
    const { state } = subscription;
    const { publishedSeq, publishedBytes } = state;
    const batch = snapshotOf(subscription);
    if (!write(subscription, batch)) return;
    countPast(subscription, bytesOf(batch.texts));
    subscription.place = places.at(state, 'live', publishedSeq, publishedBytes);
  }

  /** What the reader is sent next: every frame, or the newest of each key. */
  function stepOf({ state, audience, place }: Subscription, sentSeq: number): ReplayStep | undefined {
    if (place.type === 'replay' || state.topic.channel.isLossless) {
      return replays.after(state, sentSeq, audience);
    }
    return stepThrough(log.epoch, newestAfter(state, sentSeq), sentSeq, audience);
  }

  /** The newest frames of each key, read one by one as a step goes on. */
  function* newestAfter(state: TopicState, sentSeq: number): Iterable<Frame> {
    const seqs = Array.from(state.newest.values(), ({ seq }) => seq).filter((seq) => seq > sentSeq);
    for (const seq of seqs.sort((a, b) => a - b)) {
      const frame = log.frame(state, seq);
      if (frame !== undefined) yield frame;
    }
  }

  /** Sends the next frames to a reader that is behind; returns whether more can follow at once. */
  function advance(subscription: Subscription): boolean {
    const { state, place } = subscription;
    if (!('seq' in place)) return false;
    const step = stepOf(subscription, place.seq);
    // Right after a start the newest frames may not be on disk yet. They are sent once they are.
    if (step === undefined || !write(subscription, step.batch)) return false;
    const { seq } = step;
    counters.merged += seq - place.seq - step.batch.texts.length;
    if (place.type === 'replay') countPast(subscription, step.bytes);
    const hasMore = seq < state.publishedSeq;
    subscription.place = hasMore
      ? places.at(state, place.type, seq, place.upToDateBytes)
      : places.at(state, 'live', seq, state.publishedBytes);
    return hasMore;
  }

  /** Sends snapshots at once, as many readers share them. For other frames the reader waits in the queue. */
  function catchUp(reader: Reader): void {
    for (const subscription of reader.subscriptions.values()) {
      if (reader.status !== 'ready') return;
      if (subscription.place.type === 'snapshot' && mayGoOn(subscription)) sendSnapshot(subscription);
    }
    if (reader.status === 'ready' && Array.from(reader.subscriptions.values()).some(isBehind))
      enqueue(reader);
  }

  function enqueue(reader: Reader): void {
    queue.add(reader);
    if (isServing) return;
    isServing = true;
    setImmediate(serveQueue);
  }

  /** Serves a few readers at a time, so that many returning readers do not delay the others. */
  function serveQueue(): void {
    const next: Reader[] = [];
    for (const reader of queue) {
      if (next.length === STEPS_PER_TURN) break;
      next.push(reader);
    }
    for (const reader of next) queue.delete(reader);
    for (const reader of next) tryStep(reader);
    isServing = queue.size > 0;
    if (isServing) setImmediate(serveQueue);
    else if (waiting.size === 0) replays.clear();
  }

  /** A frame that cannot be read must not end the process, which stops in order when the store is damaged. */
  function tryStep(reader: Reader): void {
    try {
      takeStep(reader);
    } catch (error) {
      report(error);
    }
  }

  function takeStep(reader: Reader): void {
    for (const subscription of reader.subscriptions.values()) {
      if (reader.status !== 'ready') return;
      if (isBehind(subscription) && mayGoOn(subscription) && advance(subscription)) {
        enqueue(reader);
        return;
      }
    }
  }

  return {
    sendNew(subscription, { frames, firstSeq, place: end, batch }) {
      const { reader, state, audience, place } = subscription;
      if (reader.status === 'closed' || !('seq' in place) || place.seq >= end.seq) return;
      if (reader.status === 'ready' && place.seq >= firstSeq - 1) {
        // A reader that subscribed while the frames were being sent has the first of them in its snapshot.
        const missing = () => frames.filter(({ seq }) => seq > place.seq);
        const isMissingAll = place.seq < firstSeq;
        const news = isMissingAll ? batch(audience) : updatesBatch(log.epoch, missing(), audience);
        if (write(subscription, news)) {
          subscription.place =
            place.type === 'live' ? end : places.at(state, 'replay', end.seq, end.upToDateBytes);
          return;
        }
      }
      const isSlow = state.topic.channel.isLossless && reader.status === 'slow';
      if (isSlow && state.publishedBytes - place.upToDateBytes > TOO_SLOW_BYTES) {
        reader.closeTooSlow();
      } else if (reader.status === 'ready') catchUp(reader);
    },

    sendUnnumbered(reader, batch) {
      if (reader.status === 'ready' && reader.write(batch, undefined)) counters.sent += 1;
    },

    catchUp,
    sendAgain(subscriptions) {
      for (const subscription of subscriptions) {
        if (subscription.place.type !== 'live') continue;
        subscription.place = { type: 'snapshot' };
        catchUp(subscription.reader);
      }
    },
    get waiting() {
      return waiting.size;
    },
  };
}
