import type { FeedTopic } from '../../store/store.ts';
import type { Topic } from '../channels.ts';
import type { KeptFrame } from './frame-codec.ts';
import type { Frame } from './frames.ts';

/** A frame that has no number yet. */
export type Change = Omit<KeptFrame, 'seq'>;

/** How far a topic is. What is told counts once it is on disk. */
export interface TopicState {
  readonly topic: Topic;
  /** Of the last frame that readers may have. */
  toldSeq: number;
  /** Of what readers may have since the start the newest frame of each key, those that have gone too. */
  readonly newest: Map<string, Frame>;
  /** Bytes told since the start, of a lossless one. */
  bytes: number;
}

interface Numbered extends TopicState {
  seq: number;
  /** Keys that have a record, and when they were last told. */
  readonly live: Map<string, number>;
}

/** Gives every topic's frames their numbers, and knows which are told. */
export interface Numbering {
  state(topic: Topic): TopicState;
  states(): Iterable<TopicState>;
  /** Keys that have a record as numbered last, and when each was. */
  live(topic: Topic): ReadonlyMap<string, number>;
  number(change: Change): KeptFrame;
  /** How far these topics are numbered, to be stored. */
  placesOf(topics: Iterable<Topic>): readonly FeedTopic[];
  /** Readers may have it from now on. */
  told(frame: KeptFrame): TopicState;
  /** Drops what had gone before `beforeAt`: nobody is that far behind. */
  forgetGone(beforeAt: number): void;
}

export function createNumbering(topics: readonly Topic[], kept: readonly FeedTopic[]): Numbering {
  const states = new Map(topics.map((topic) => [topic.name, begin(topic)]));
  for (const { topic, seq, keys } of kept) {
    const state = states.get(topic);
    // A topic of an account that is no longer configured.
    if (state === undefined) continue;
    state.seq = seq;
    state.toldSeq = seq;
    for (const key of keys) state.live.set(key, 0);
  }

  function stateOf(topic: Topic): Numbered {
    const state = states.get(topic.name);
    if (state === undefined) throw new RangeError(`no topic ${topic.name}`);
    return state;
  }

  return {
    state: stateOf,
    states: () => states.values(),
    live: (topic) => stateOf(topic).live,
    number(change) {
      const state = stateOf(change.topic);
      const { key, at, isGone } = change;
      state.live.delete(key);
      if (!isGone && !change.topic.channel.isLossless) state.live.set(key, at);
      return { ...change, seq: ++state.seq };
    },
    placesOf: (moved) =>
      Array.from(new Set(moved), (topic) => {
        const { seq, live } = stateOf(topic);
        return { topic: topic.name, seq, keys: [...live.keys()] };
      }),
    told(frame) {
      const state = stateOf(frame.topic);
      state.toldSeq = frame.seq;
      if (frame.topic.channel.isLossless) state.bytes += Buffer.byteLength(frame.lines[0] ?? '');
      else state.newest.set(frame.key, frame);
      return state;
    },
    forgetGone(beforeAt) {
      for (const { newest } of states.values()) {
        for (const [key, { isGone, at }] of newest) if (isGone && at < beforeAt) newest.delete(key);
      }
    },
  };
}

function begin(topic: Topic): Numbered {
  return { topic, seq: 0, toldSeq: 0, bytes: 0, newest: new Map(), live: new Map() };
}
