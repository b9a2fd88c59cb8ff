import type { FeedTopic } from '../../store/store.ts';
import type { Topic } from '../channels.ts';
import type { StoredFrame } from './frame-codec.ts';

/** A frame that has no number yet. */
export type Change = Omit<StoredFrame, 'seq'>;

/** A topic as readers may see it: frames are published once they are on disk. */
export interface TopicState {
  readonly topic: Topic;
  /** Seq of the last published frame. */
  readonly publishedSeq: number;
  /** Of each key that was published since the start, also of keys that are gone; empty for a lossless topic. */
  readonly newest: ReadonlyMap<string, NewestFrame>;
  /** Bytes published since the start; 0 unless the topic is lossless. */
  readonly publishedBytes: number;
}

/**
 * Where the newest frame of a key is. Its text is on disk: held until the next frame of the key, it would come into the old
 * generation of the heap, which would have to be collected more often.
 */
interface NewestFrame {
  readonly seq: number;
  readonly at: number;
  readonly isGone: boolean;
}

interface NumberedTopic extends TopicState {
  seq: number;
  /** Keys that have a record, and when each last changed, UTC ms. */
  readonly live: Map<string, number>;
  publishedSeq: number;
  publishedBytes: number;
  readonly newest: Map<string, NewestFrame>;
}

/** Numbers the frames of every topic, and keeps track of what is published. */
export interface Numbering {
  state(topic: Topic): TopicState;
  states(): Iterable<TopicState>;
  /** Keys that have a record, published or not, and when each last changed; 0 if not since the start. */
  live(topic: Topic): ReadonlyMap<string, number>;
  number(change: Change): StoredFrame;
  /** The last number and the live keys of these topics, to be stored. */
  toStore(topics: Iterable<Topic>): readonly FeedTopic[];
  markPublished(frame: StoredFrame): TopicState;
  /** Drops keys that were gone before `beforeAt`: no reader is that far behind. */
  forgetGone(beforeAt: number): void;
}

export function createNumbering(topics: readonly Topic[], stored: readonly FeedTopic[]): Numbering {
  const states = new Map(topics.map((topic) => [topic.storedAs, emptyTopic(topic)]));
  for (const { topic, seq, keys } of stored) {
    const state = states.get(topic);
    // A topic may belong to an account that is no longer configured.
    if (state === undefined) continue;
    state.seq = seq;
    state.publishedSeq = seq;
    for (const key of keys) state.live.set(key, 0);
  }

  function stateOf(topic: Topic): NumberedTopic {
    const state = states.get(topic.storedAs);
    if (state === undefined) throw new RangeError(`no topic ${topic.storedAs}`);
    return state;
  }

  return {
    state: stateOf,
    states: () => states.values(),
    live: (topic) => stateOf(topic).live,
    number(change) {
      const state = stateOf(change.topic);
      const { key, at, isGone } = change;
      // Deleted first, so that the keys stay in the order of their last change.
      state.live.delete(key);
      if (!isGone && !change.topic.channel.isLossless) state.live.set(key, at);
      return { ...change, seq: ++state.seq };
    },
    toStore: (changed) =>
      Array.from(new Set(changed), (topic) => {
        const { seq, live } = stateOf(topic);
        return { topic: topic.storedAs, seq, keys: [...live.keys()] };
      }),
    markPublished(frame) {
      const { seq, at, isGone } = frame;
      const state = stateOf(frame.topic);
      state.publishedSeq = seq;
      if (frame.topic.channel.isLossless) state.publishedBytes += Buffer.byteLength(frame.record ?? '');
      else state.newest.set(frame.key, { seq, at, isGone });
      return state;
    },
    forgetGone(beforeAt) {
      for (const { newest } of states.values()) {
        for (const [key, { isGone, at }] of newest) if (isGone && at < beforeAt) newest.delete(key);
      }
    },
  };
}

function emptyTopic(topic: Topic): NumberedTopic {
  const seq = topic.firstCursor;
  return { topic, seq, publishedSeq: seq, publishedBytes: 0, newest: new Map(), live: new Map() };
}
