import type { Audience } from '../../views/audience.ts';
import type { Frame } from '../log/frames.ts';
import type { TopicState } from '../log/numbering.ts';
import type { Delivery, NewFrames } from './delivery.ts';
import { batchOf, type FrameBatch, updatesBatch } from './frame-batch.ts';
import type { Reader, Subscription } from './reader.ts';

/** Readers that are written to before other work of the process gets its turn. */
const SLICE = 250;

export interface FanOut {
  add(subscription: Subscription): void;
  remove(subscription: Subscription): void;
  /** Whether a topic has a subscriber. */
  isFollowed(state: TopicState): boolean;
  subscribers(state: TopicState): readonly Subscription[];
  /** Sends successive frames of one topic to its subscribers. */
  send(state: TopicState, frames: readonly Frame[]): void;
  /** Sends a text to the subscribers of a topic without numbers. It is made only if there are any. */
  sendUnnumbered(state: TopicState, textOf: () => string): void;
}

/** News of one topic that was not written yet. */
type Pending =
  | { readonly type: 'frames'; readonly state: TopicState; frames: readonly Frame[] }
  | { readonly type: 'unnumbered'; readonly state: TopicState; readonly batch: FrameBatch };

/** Writes the news of one topic to a subscriber. */
interface Writer {
  readonly state: TopicState;
  write(subscription: Subscription): void;
}

/**
 * Writes what is published to every subscriber, in slices. The bytes are built once for each audience, and each reader
 * gets everything new in one write, as writes are the main cost.
 */
export function createFanOut(epoch: string, delivery: Delivery): FanOut {
  const subscribed = new Map<TopicState, Set<Subscription>>();
  /** News since the current round of writes began. */
  let pending: Pending[] = [];
  let isRunning = false;

  function writerOf(item: Pending): Writer {
    const { state } = item;
    if (item.type === 'unnumbered') {
      return { state, write: ({ reader }) => delivery.sendUnnumbered(reader, item.batch) };
    }
    const news = newFrames(epoch, item.frames, state.publishedBytes);
    return { state, write: (subscription) => delivery.sendNew(subscription, news) };
  }

  function readersOf(writers: readonly Writer[]): readonly Reader[] {
    const readers = new Set<Reader>();
    for (const { state } of writers)
      for (const { reader } of subscribed.get(state) ?? []) readers.add(reader);
    return [...readers];
  }

  function writeAll(reader: Reader, writers: readonly Writer[]): void {
    reader.cork();
    for (const { state, write } of writers) {
      const subscription = reader.subscriptions.get(state.topic.name);
      // Topics of two tiers have the same name.
      if (subscription?.state === state) write(subscription);
    }
    reader.uncork();
  }

  function run(): void {
    const writers = pending.map(writerOf);
    const [first] = writers;
    pending = [];
    isRunning = first !== undefined;
    if (first === undefined) return;
    if (writers.length > 1) inSlices(0, readersOf(writers), (reader) => writeAll(reader, writers));
    else inSlices(0, [...(subscribed.get(first.state) ?? [])], first.write);
  }

  function inSlices<T>(start: number, targets: readonly T[], write: (target: T) => void): void {
    for (const target of targets.slice(start, start + SLICE)) write(target);
    if (start + SLICE < targets.length) setImmediate(() => inSlices(start + SLICE, targets, write));
    else run();
  }

  const isFollowed = (state: TopicState) => (subscribed.get(state)?.size ?? 0) > 0;

  function enqueue(item: Pending): void {
    const index = pending.findIndex(({ state }) => state === item.state);
    const earlier = pending[index];
    // At most one item waits for each topic, however many readers there are.
    if (earlier?.type === 'frames' && item.type === 'frames') {
      earlier.frames = [...earlier.frames, ...item.frames];
    } else {
      // A heartbeat replaces the previous one, and comes after the frames it counts.
      if (earlier !== undefined) pending.splice(index, 1);
      pending.push(item);
    }
    if (isRunning) return;
    isRunning = true;
    // Everything that one commit publishes is sent together.
    queueMicrotask(run);
  }

  return {
    add(subscription) {
      const all = subscribed.get(subscription.state) ?? new Set();
      subscribed.set(subscription.state, all.add(subscription));
    },
    remove: (subscription) => void subscribed.get(subscription.state)?.delete(subscription),
    isFollowed,
    subscribers: (state) => [...(subscribed.get(state) ?? [])],
    send(state, frames) {
      if (isFollowed(state)) enqueue({ type: 'frames', state, frames });
    },
    sendUnnumbered(state, textOf) {
      if (isFollowed(state)) enqueue({ type: 'unnumbered', state, batch: batchOf([textOf()]) });
    },
  };
}

function newFrames(epoch: string, frames: readonly Frame[], publishedBytes: number): NewFrames {
  const batches = new Map<string, FrameBatch>();
  let last: { readonly audience: Audience; readonly batch: FrameBatch } | undefined;
  return {
    frames,
    firstSeq: frames[0]?.seq ?? 0,
    place: { type: 'live', seq: frames.at(-1)?.seq ?? 0, upToDateBytes: publishedBytes },
    batch(audience) {
      // Most readers have the same audience as the reader before them.
      if (last?.audience === audience) return last.batch;
      const batch = batches.get(audience.name) ?? updatesBatch(epoch, frames, audience);
      batches.set(audience.name, batch);
      last = { audience, batch };
      return batch;
    },
  };
}
