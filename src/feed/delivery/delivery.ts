import { LRUCache } from 'lru-cache';
import type { Budgets } from '../../access/limits/budgets.ts';
import type { Audience } from '../../views/audience.ts';
import type { FeedCounters } from '../figures.ts';
import type { PublishedFrames } from '../log/frame-log.ts';
import { type Frame, snapshotText, updateText } from '../log/frames.ts';
import type { Records } from '../log/topic-records.ts';
import { batchOf, type FrameBatch, updatesBatch } from './frame-batch.ts';
import type { Place, Reader, Subscription } from './reader.ts';

/** A reader that is further behind on a lossless topic is disconnected. */
const TOO_SLOW_BYTES = 1_024 * 1_024;
/** The most that a reader that is behind is sent in one step, but for the frame that passes it. */
const CHARS_PER_STEP = 32 * 1_024;
/** How often it is looked whether callers without a budget have some again. */
const BUDGET_CHECK_MS = 100;
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
  /** Readers that lack something and wait for the budget of their caller. */
  readonly waiting: number;
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { log, records, counters, budgets, mono, report } = deps;
  const snapshots = new LRUCache<string, { readonly asOf: string; readonly batch: FrameBatch }>({
    max: MAX_SNAPSHOTS,
  });
  /** Readers that are behind, in the order of their next step. */
  const queue = new Set<Reader>();
  let isServing = false;
  /** Readers whose caller has used up its budget, in the order in which they go on. */
  const waiting = new Set<Reader>();
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

  function takeBudget({ reader }: Subscription, texts: readonly string[]): void {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    budgets.take(budgets.of(reader.caller), bytes, mono());
    counters.replayedBytes += bytes;
  }

  function hasBudgetLeft({ caller }: Reader): boolean {
    return budgets.waitMs(budgets.of(caller), mono()) === 0;
  }

  /** Whether the next step is paid for. If not, the reader gets its turn once it is. */
  function hasBudget({ reader, place }: Subscription): boolean {
    if (place.type === 'live' || hasBudgetLeft(reader)) return true;
    waiting.add(reader);
    checkBudgetsLater();
    return false;
  }

  function checkBudgetsLater(): void {
    if (isCheckDue) return;
    isCheckDue = true;
    setTimeout(goOn, BUDGET_CHECK_MS).unref();
  }

  function goOn(): void {
    isCheckDue = false;
    const due = Array.from(waiting).filter((reader) => reader.status === 'closed' || hasBudgetLeft(reader));
    for (const reader of due) waiting.delete(reader);
    for (const reader of due) catchUp(reader);
    if (waiting.size > 0) checkBudgetsLater();
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
    const { publishedSeq, publishedBytes } = subscription.state;
    const batch = snapshotOf(subscription);
    if (!write(subscription, batch)) return;
    takeBudget(subscription, batch.texts);
    subscription.place = { type: 'live', seq: publishedSeq, upToDateBytes: publishedBytes };
  }

  /** The frames after `sentSeq` that the reader needs: every one, or the newest of each key. */
  function framesAfter(sentSeq: number, { state, place }: Subscription): readonly Frame[] {
    if (place.type === 'replay' || state.topic.channel.isLossless) {
      return log.read(state, sentSeq);
    }
    return Array.from(state.newest.values())
      .filter(({ seq }) => seq > sentSeq)
      .sort((a, b) => a.seq - b.seq);
  }

  /** Sends the next frames to a reader that is behind; returns whether more can follow at once. */
  function advance(subscription: Subscription): boolean {
    const { state, audience, place } = subscription;
    if (!('seq' in place)) return false;
    const texts: string[] = [];
    const seqs: number[] = [];
    let { seq } = place;
    let length = 0;
    for (const frame of framesAfter(seq, subscription)) {
      if (length >= CHARS_PER_STEP) break;
      const text = updateText(log.epoch, frame, seq, audience);
      texts.push(text);
      seqs.push(frame.seq);
      length += text.length;
      seq = frame.seq;
    }
    // Right after a start the newest frames may not be on disk yet. They are sent once they are.
    if (texts.length === 0 || !write(subscription, batchOf(texts, seqs))) return false;
    counters.merged += seq - place.seq - texts.length;
    if (place.type === 'replay') takeBudget(subscription, texts);
    const hasMore = seq < state.publishedSeq;
    subscription.place = hasMore
      ? { ...place, seq }
      : { type: 'live', seq, upToDateBytes: state.publishedBytes };
    return hasMore;
  }

  /** Sends snapshots at once, as many readers share them. For other frames the reader waits in the queue. */
  function catchUp(reader: Reader): void {
    for (const subscription of reader.subscriptions.values()) {
      if (reader.status !== 'ready') return;
      if (subscription.place.type === 'snapshot' && hasBudget(subscription)) sendSnapshot(subscription);
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
      if (isBehind(subscription) && hasBudget(subscription) && advance(subscription)) {
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
          subscription.place = place.type === 'live' ? end : { ...end, type: 'replay' };
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
    get waiting() {
      return waiting.size;
    },
  };
}
