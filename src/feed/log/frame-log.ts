import { randomUUID } from 'node:crypto';
import { createRetryingWriter } from '../../resilience/retry-write.ts';
import type { StoredFrames } from '../../store/store.ts';
import type { OutputOf } from '../../views/latest.ts';
import type { Topic } from '../channels.ts';
import { createCompaction } from './compaction.ts';
import { decodeFrame, encodeFrame, type KeptFrame } from './frame-codec.ts';
import type { Frame } from './frames.ts';
import { type Change, createNumbering, type TopicState } from './numbering.ts';

export type { Change, TopicState };

interface Entry {
  readonly frames: readonly KeptFrame[];
  readonly upTo: number;
  readonly tick: OutputOf<'freshness'> | undefined;
}

export interface FrameLogDeps {
  readonly window: StoredFrames;
  readonly topics: readonly Topic[];
  /** All of `frames` are of this topic, in order, and on disk. */
  readonly publish: (state: TopicState, frames: readonly Frame[]) => void;
  /** A second passed, and all told before it was published. */
  readonly beat: (tick: OutputOf<'freshness'>) => void;
  /** Told once when the disk refuses, until it takes writes again. */
  readonly report: (error: unknown) => void;
}

/** Numbers what is told, stores it, and only then lets it out. */
export interface FrameLog {
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
  /** Every frame that readers may have behind `seq`, at most `limit`. */
  read(state: TopicState, seq: number, limit: number): readonly Frame[];
  /** Waits until all is told that was numbered, and numbers nothing more. */
  stop(): Promise<void>;
}

interface Shared {
  readonly of: string;
  readonly frames: readonly Frame[];
}

export function openFrameLog({ window, topics, publish, beat, report }: FrameLogDeps): FrameLog {
  const head = window.head();
  const epoch = head?.epoch ?? randomUUID();
  const numbering = createNumbering(topics, window.topics());
  const compaction = createCompaction(window, report);
  const retryingWriter = createRetryingWriter({
    onRefused: (error, attempt) => {
      if (attempt === 1) report(error);
    },
  });
  const shared = new Map<Topic, Shared>();

  let pending: Entry[] = [];
  let running: Promise<void> | undefined;
  let toldUpTo = head?.upTo ?? 0;
  let isStopped = false;

  /** One commit for all entries. */
  async function keep(entries: readonly Entry[]): Promise<void> {
    const frames = entries.flatMap((entry) => entry.frames);
    if (frames.length === 0) return;
    const batch = {
      epoch,
      upTo: entries.at(-1)?.upTo ?? toldUpTo,
      rows: frames.map(encodeFrame),
      topics: numbering.placesOf(frames.map(({ topic }) => topic)),
    };
    await retryingWriter.write(() => window.append(batch));
    compaction.added(frames);
  }

  function letOut({ frames, upTo, tick }: Entry): void {
    toldUpTo = upTo;
    const byState = new Map<TopicState, Frame[]>();
    for (const frame of frames) {
      const state = numbering.told(frame);
      const group = byState.get(state) ?? [];
      byState.set(state, group);
      group.push(frame);
    }
    for (const [state, group] of byState) publish(state, group);
    if (tick === undefined) return;
    beat(tick);
    shared.clear();
    const oldestAt = compaction.second(tick.at);
    if (oldestAt !== undefined) numbering.forgetGone(oldestAt);
  }

  async function run(): Promise<void> {
    while (pending.length > 0) {
      const taken = pending;
      pending = [];
      try {
        await keep(taken);
        for (const entry of taken) letOut(entry);
      } catch (error) {
        report(error);
      }
    }
    running = undefined;
  }

  return {
    epoch,
    numberedUpTo: head?.upTo,
    get toldUpTo() {
      return toldUpTo;
    },
    state: numbering.state,
    states: numbering.states,
    live: numbering.live,
    tell(changes, upTo, tick) {
      if (isStopped) return;
      pending.push({ frames: changes.map(numbering.number), upTo, tick });
      running ??= run();
    },
    floor({ topic, toldSeq }) {
      const oldest = window.oldest(topic.name);
      return oldest === undefined ? toldSeq : Math.min(toldSeq, oldest - 1);
    },
    read({ topic, toldSeq }, seq, limit) {
      // A crowd that comes back after a restart was told the same last.
      const of = `${seq} ${toldSeq} ${limit}`;
      const known = shared.get(topic);
      if (known?.of === of) return known.frames;
      const rows = window.read(topic.name, seq, limit).filter((row) => row.seq <= toldSeq);
      const frames = rows.map((row) => decodeFrame(topic, row));
      shared.set(topic, { of, frames });
      return frames;
    },
    async stop() {
      isStopped = true;
      retryingWriter.stop();
      while (running) await running;
      await compaction.stop();
    },
  };
}
