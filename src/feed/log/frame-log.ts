import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Observable, Subject } from 'rxjs';
import { createRetryingWriter } from '../../resilience/retry-write.ts';
import type { StoredFrames } from '../../store/store.ts';
import type { OutputOf } from '../../views/latest.ts';
import type { Topic } from '../channels.ts';
import { createCompaction } from './compaction.ts';
import { decodeFrame, encodeFrame, type StoredFrame } from './frame-codec.ts';
import type { Frame } from './frames.ts';
import { type Change, createNumbering, type TopicState } from './numbering.ts';

type Tick = OutputOf<'freshness'>;

export type Published =
  /** Frames of one topic, in order and on disk. */
  | { readonly type: 'frames'; readonly state: TopicState; readonly frames: readonly Frame[] }
  /** A tick, after everything that was appended before it. */
  | { readonly type: 'second'; readonly tick: Tick };

interface FrameLogDeps {
  readonly window: StoredFrames;
  readonly topics: readonly Topic[];
  /** Receives the first refusal of each write. The write is retried. */
  readonly report: (error: unknown) => void;
}

/** Numbers changes of records, stores them as frames, and publishes them once they are on disk. */
export interface FrameLog {
  readonly epoch: string;
  readonly frame$: Observable<Published>;
  /** The seq of the log up to which everything was numbered before this start; undefined for an empty frame log. */
  readonly numberedUpTo: number | undefined;
  /** The seq of the log up to which everything is published. */
  readonly publishedUpTo: number;
  state(topic: Topic): TopicState;
  states(): Iterable<TopicState>;
  /** Keys that have a record, published or not, and when each last changed. */
  live(topic: Topic): ReadonlyMap<string, number>;
  /** Appends the changes of one turn of the engine. All that are appended during a commit share the next one. */
  append(changes: readonly Change[], upTo: number, tick?: Tick): void;
  /** The oldest seq that a reader can resume from without a gap. */
  oldestCursor(state: TopicState): number;
  /** The next published frames after `seq`: some, if there are any. */
  read(state: TopicState, seq: number): readonly Frame[];
  /** Accepts no more changes, and resolves when the earlier ones are published or failed. */
  stop(): Promise<void>;
}

/** Frames of a topic that are read together. */
const FRAMES_PER_READ = 64;
/** Characters of frames that are kept for the next readers. */
const MAX_READ_CHARS = 8 * 1_024 * 1_024;

interface Entry {
  readonly frames: readonly StoredFrame[];
  readonly upTo: number;
  readonly tick: Tick | undefined;
}

export function openFrameLog({ window, topics, report }: FrameLogDeps): FrameLog {
  const head = window.head();
  const epoch = head?.epoch ?? randomUUID();
  const numbering = createNumbering(topics, window.topics());
  const compaction = createCompaction(window, report);
  const writer = createRetryingWriter({
    onRefused(error, attempt) {
      if (attempt === 1) report(error);
    },
  });
  const published = new Subject<Published>();
  // Many readers reconnect after a restart and need the same frames, and each of them takes several steps through them.
  const recentReads = new LRUCache<string, { readonly frames: readonly Frame[]; readonly chars: number }>({
    maxSize: MAX_READ_CHARS,
    sizeCalculation: ({ chars }) => Math.max(1, chars),
  });

  let pending: Entry[] = [];
  let running: Promise<void> | undefined;
  let publishedUpTo = head?.upTo ?? 0;
  let isStopped = false;

  async function store(entries: readonly Entry[]): Promise<void> {
    const frames = entries.flatMap((entry) => entry.frames);
    if (frames.length === 0) return;
    const batch = {
      epoch,
      upTo: entries.at(-1)?.upTo ?? publishedUpTo,
      rows: frames.map(encodeFrame),
      topics: numbering.toStore(frames.map(({ topic }) => topic)),
    };
    await writer.write(() => window.append(batch));
    compaction.onStored(frames);
  }

  function publish({ frames, upTo, tick }: Entry): void {
    publishedUpTo = upTo;
    const byState = new Map<TopicState, Frame[]>();
    for (const frame of frames) {
      const state = numbering.markPublished(frame);
      const group = byState.get(state) ?? [];
      byState.set(state, group);
      group.push(frame);
    }
    for (const [state, group] of byState) published.next({ type: 'frames', state, frames: group });
    if (tick === undefined) return;
    published.next({ type: 'second', tick });
    recentReads.clear();
    const oldestAt = compaction.onTick(tick.at);
    if (oldestAt !== undefined) numbering.forgetGone(oldestAt);
  }

  async function run(): Promise<void> {
    while (pending.length > 0) {
      const entries = pending;
      pending = [];
      try {
        await store(entries);
        for (const entry of entries) publish(entry);
      } catch (error) {
        report(error);
      }
    }
    running = undefined;
  }

  return {
    epoch,
    frame$: published.asObservable(),
    numberedUpTo: head?.upTo,
    get publishedUpTo() {
      return publishedUpTo;
    },
    state: numbering.state,
    states: numbering.states,
    live: numbering.live,
    append(changes, upTo, tick) {
      if (isStopped) return;
      pending.push({ frames: changes.map(numbering.number), upTo, tick });
      running ??= run();
    },
    oldestCursor({ topic, publishedSeq }) {
      const oldest = window.oldest(topic.storedAs);
      return oldest === undefined ? publishedSeq : Math.min(publishedSeq, oldest - 1);
    },
    read({ topic, publishedSeq }, seq) {
      // Readers that are near each other read the same blocks.
      const after = seq - (seq % FRAMES_PER_READ);
      const name = `${topic.storedAs} ${after} ${Math.min(publishedSeq, after + FRAMES_PER_READ)}`;
      let block = recentReads.get(name);
      if (block === undefined) {
        const rows = window
          .read(topic.storedAs, after, FRAMES_PER_READ)
          .filter((row) => row.seq <= publishedSeq);
        block = {
          frames: rows.map((row) => decodeFrame(topic, row)),
          chars: rows.reduce((sum, { text }) => sum + text.length, 0),
        };
        recentReads.set(name, block);
      }
      return block.frames.filter((frame) => frame.seq > seq);
    },
    async stop() {
      isStopped = true;
      writer.stop();
      while (running) await running;
      await compaction.stop();
      published.complete();
    },
  };
}
