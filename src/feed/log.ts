import { randomUUID } from 'node:crypto';
import type { FeedCause } from '../contract/feed.ts';
import type { OutputOf } from '../store/latest.ts';
import type { FeedWindow } from '../store/store.ts';
import type { Topic } from './channels.ts';
import { type Frame, GONE } from './frames.ts';
import { decodeFrame, encodeFrame, viewsOf } from './rows.ts';
import type { View } from './views.ts';

/** How long readers may come back and be told what they missed. */
export const WINDOW_MS = 86_400_000;
const PRUNE_EVERY_TICKS = 60;
const PRUNE_ROWS = 500;
/** How long a write that the disk refused waits before it is tried again. */
const RETRY_MS = 1_000;

/** A frame that has no number yet. */
export type Change = Omit<Frame, 'seq'>;

/** How far a topic is. What is told counts once it is on disk. */
export interface TopicState {
  readonly topic: Topic;
  /** Of the last frame that readers may have. */
  toldSeq: number;
  /** Of what readers may have the newest frame of each key, those that have gone too. */
  readonly newest: Map<string, Frame>;
  /** Bytes told since the start, of a lossless one. */
  bytes: number;
}

interface Numbering extends TopicState {
  seq: number;
  floor: number;
  /** Keys that have a record, and when they were last told. */
  readonly live: Map<string, number>;
  readonly gone: Map<string, readonly [seq: number, at: number]>;
}

interface Entry {
  readonly frames: readonly Frame[];
  readonly upTo: number;
  readonly tick: OutputOf<'freshness'> | undefined;
}

export interface LogDeps {
  readonly window: FeedWindow;
  readonly topics: readonly Topic[];
  /** All of `frames` are of this topic, in order, and on disk. */
  readonly publish: (state: TopicState, frames: readonly Frame[]) => void;
  /** A second passed, and all told before it was published. */
  readonly beat: (tick: OutputOf<'freshness'>) => void;
  /** Told once when the disk refuses, until it takes writes again. */
  readonly report: (error: unknown) => void;
}

/** Numbers what is told, stores it, and only then lets it out. */
export interface FeedLog {
  readonly epoch: string;
  /** The seq of the log up to which all was numbered before this start; undefined when nothing ever was. */
  readonly numberedUpTo: number | undefined;
  /** The seq of the log up to which all is told. */
  readonly toldUpTo: number;
  state(topic: Topic): TopicState;
  states(): Iterable<TopicState>;
  /** Keys that have a record as numbered last, and when each was. */
  live(topic: Topic): ReadonlyMap<string, number>;
  /** What one turn of the engine came to. Shares a commit with all that waits for the one under way. */
  tell(changes: readonly Change[], upTo: number, tick?: OutputOf<'freshness'>): void;
  /** The oldest seq after which nothing is lost. */
  floor(state: TopicState): number;
  /** Every frame that readers may have behind `seq`, at most `limit`. Of topics that keep every frame. */
  read(state: TopicState, seq: number, limit: number): readonly Frame[];
  /** Waits until all is told that was numbered, and numbers nothing more. */
  stop(): Promise<void>;
}

export function openLog({ window, topics, publish, beat, report }: LogDeps): FeedLog {
  const head = window.head();
  const epoch = head?.epoch ?? randomUUID();
  const states = new Map(topics.map((topic) => [topic.name, emptyNumbering(topic)]));
  for (const kept of window.topics()) restore(states.get(kept.topic), kept);

  let pending: Entry[] = [];
  let running: Promise<void> | undefined;
  let toldUpTo = head?.upTo ?? 0;
  let ticks = 0;
  let isStopped = false;
  let wake: () => void = () => undefined;

  const numberingOf = (topic: Topic): Numbering => {
    const state = states.get(topic.name);
    if (state === undefined) throw new RangeError(`no topic ${topic.name}`);
    return state;
  };

  function number(change: Change): Frame {
    const state = numberingOf(change.topic);
    const { key, at, isGone } = change;
    const seq = ++state.seq;
    state.live.delete(key);
    state.gone.delete(key);
    if (isGone) state.gone.set(key, [seq, at]);
    else if (!change.topic.channel.isLossless) state.live.set(key, at);
    return { ...change, seq };
  }

  /** One commit for all entries. */
  async function keep(entries: readonly Entry[]): Promise<void> {
    const frames = entries.flatMap((entry) => entry.frames);
    if (frames.length === 0) return;
    const moved = new Set(frames.map(({ topic }) => numberingOf(topic)));
    const batch = {
      epoch,
      upTo: entries.at(-1)?.upTo ?? toldUpTo,
      rows: frames.filter(({ topic }) => topic.channel.keeps === 'every').map(encodeFrame),
      topics: Array.from(moved, ({ topic, seq, floor, live, gone }) => ({
        topic: topic.name,
        seq,
        floor,
        keys: [...live.keys()],
        gone: Array.from(gone, ([key, [goneSeq, at]]) => [key, goneSeq, at] as const),
      })),
    };
    await insist(() => window.append(batch));
  }

  async function insist(write: () => Promise<unknown>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await write();
        return;
      } catch (error) {
        if (isStopped) throw error;
        if (attempt === 0) report(error);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, RETRY_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    }
  }

  function letOut({ frames, upTo, tick }: Entry): void {
    toldUpTo = upTo;
    const byState = new Map<TopicState, Frame[]>();
    for (const frame of frames) {
      const state = numberingOf(frame.topic);
      state.toldSeq = frame.seq;
      if (frame.topic.channel.isLossless) state.bytes += bytesOf(frame);
      else state.newest.set(frame.key, frame);
      const group = byState.get(state) ?? [];
      byState.set(state, group);
      group.push(frame);
    }
    for (const [state, group] of byState) publish(state, group);
    if (tick !== undefined) beat(tick);
  }

  async function run(): Promise<void> {
    while (pending.length > 0) {
      const taken = pending;
      pending = [];
      try {
        await keep(taken);
        for (const entry of taken) letOut(entry);
        for (const { tick } of taken) {
          if (tick !== undefined && ++ticks % PRUNE_EVERY_TICKS === 0) await prune(tick.at - WINDOW_MS);
        }
      } catch (error) {
        report(error);
      }
    }
    running = undefined;
  }

  async function prune(beforeAt: number): Promise<void> {
    for (const state of states.values()) {
      for (const [key, [seq, at]] of state.gone) {
        if (at >= beforeAt) continue;
        state.gone.delete(key);
        state.newest.delete(key);
        state.floor = Math.max(state.floor, seq);
      }
    }
    await window.prune(beforeAt, PRUNE_ROWS).catch(report);
  }

  return {
    epoch,
    numberedUpTo: head?.upTo,
    get toldUpTo() {
      return toldUpTo;
    },
    state: numberingOf,
    states: () => states.values(),
    live: (topic) => numberingOf(topic).live,
    tell(changes, upTo, tick) {
      if (isStopped) return;
      pending.push({ frames: changes.map(number), upTo, tick });
      running ??= run();
    },
    floor({ topic, toldSeq }) {
      const { floor } = numberingOf(topic);
      if (topic.channel.keeps !== 'every') return floor;
      const [oldest] = window.read(topic.name, 0, 1);
      return oldest === undefined ? toldSeq : oldest.seq - 1;
    },
    read: ({ topic, toldSeq }, seq, limit) =>
      window
        .read(topic.name, seq, limit)
        .filter((row) => row.seq <= toldSeq)
        .map((row) => decodeFrame(topic, row)),
    async stop() {
      isStopped = true;
      wake();
      while (running) await running;
    },
  };
}

function bytesOf(frame: Frame): number {
  const [view] = viewsOf(frame.topic);
  return view === undefined ? 0 : Buffer.byteLength(frame.data(view));
}

function emptyNumbering(topic: Topic): Numbering {
  return {
    topic,
    seq: 0,
    toldSeq: 0,
    floor: 0,
    bytes: 0,
    newest: new Map(),
    live: new Map(),
    gone: new Map(),
  };
}

function restore(state: Numbering | undefined, kept: ReturnType<FeedWindow['topics']>[number]): void {
  // A topic of an account that is no longer configured.
  if (state === undefined) return;
  state.seq = kept.seq;
  state.toldSeq = kept.seq;
  state.floor = kept.floor;
  for (const key of kept.keys) state.live.set(key, 0);
  for (const [key, seq, at] of kept.gone) {
    state.gone.set(key, [seq, at]);
    state.newest.set(key, goneFrame(state.topic, key, seq, at));
  }
}

function goneFrame(topic: Topic, key: string, seq: number, at: number): Frame {
  const causes: readonly FeedCause[] = ['event_closed'];
  return { topic, key, seq, at, causes, isGone: true, data: (_view: View) => GONE };
}
