import { randomUUID } from 'node:crypto';
import { type Observable, Subject } from 'rxjs';
import { isRefusedWrite } from '../../errors.ts';
import { createRetryingWriter, firstRefusal } from '../../resilience/retry-write.ts';
import type { StoredFrames } from '../../store/store.ts';
import type { OutputOf } from '../../views/latest.ts';
import type { Topic } from '../channels.ts';
import { createCompaction } from './compaction.ts';
import { encodeFrame, type StoredFrame } from './frame-codec.ts';
import { createFrameReads } from './frame-reads.ts';
import type { Frame } from './frames.ts';
import { type Change, createNumbering, type TopicState } from './numbering.ts';

type Tick = OutputOf<'freshness'>;

export type Published =
  /** Frames of one topic, in order and on disk. */
  | { readonly type: 'frames'; readonly state: TopicState; readonly frames: readonly Frame[] }
  /** A tick, after everything that was appended before it. */
  | {
      readonly type: 'second';
      readonly tick: Tick;
      /** Whether the tick is that of a topic; it is that of all unless given. */
      readonly covers?: (topic: Topic) => boolean;
    };

/** What `StoredFrames` appends at once. */
type StoredBatch = Parameters<StoredFrames['append']>[0];

export interface FrameLogDeps {
  readonly window: StoredFrames;
  readonly topics: readonly Topic[];
  /** The epoch of the cluster; that of the stored frames, or a new one, unless given. */
  readonly epoch?: string | undefined;
  /** Names an epoch as no other is. */
  readonly newEpoch?: (() => string) | undefined;
  /** Resolves once other machines will know the batch too, which then is stored and published here. */
  readonly share?: ((batch: StoredBatch) => Promise<void>) | undefined;
  /** Receives the first refusal of each write. The write is retried. */
  readonly report: (error: unknown) => void;
  /**
   * Called once, when frames can never be stored, for example by a bug of the store. Their numbers are given, so nothing is
   * published any more, and only a restart recovers.
   */
  readonly broken?: ((error: unknown) => void) | undefined;
}

/** Frames with their numbers, all of them on disk. */
export interface PublishedFrames {
  readonly epoch: string;
  readonly frame$: Observable<Published>;
  /** The seq of the log up to which everything is published on a topic. */
  publishedUpTo(topic: Topic): number;
  state(topic: Topic): TopicState;
  states(): Iterable<TopicState>;
  /** The oldest seq that a reader can resume from without a gap. */
  oldestCursor(state: TopicState): number;
  /** The next published frames after `seq`: some, if there are any. */
  read(state: TopicState, seq: number): readonly Frame[];
  /** A published frame; undefined when it is no longer on disk. */
  frame(state: TopicState, seq: number): Frame | undefined;
}

/** Numbers changes of records, stores them as frames, and publishes them once they are on disk. */
export interface FrameLog extends PublishedFrames {
  /** The seq of the log up to which everything was numbered before this start; undefined for an empty frame log. */
  readonly numberedUpTo: number | undefined;
  /** Keys that have a record, published or not, and when each last changed. */
  live(topic: Topic): ReadonlyMap<string, number>;
  /** Appends the changes of one turn of the engine. All that are appended during a commit share the next one. */
  append(changes: readonly Change[], upTo: number, tick?: Tick): void;
  /** Accepts no more changes, and resolves when the earlier ones are published or failed. */
  stop(): Promise<void>;
}

interface Entry {
  readonly frames: readonly StoredFrame[];
  readonly upTo: number;
  readonly tick: Tick | undefined;
}

export function openFrameLog(deps: FrameLogDeps): FrameLog {
  const { window, topics, share, newEpoch = randomUUID, report, broken = () => undefined } = deps;
  const head = window.head();
  const epoch = deps.epoch ?? head?.epoch ?? newEpoch();
  const numbering = createNumbering(topics, window.topics());
  const compaction = createCompaction(window, report);
  const writer = createRetryingWriter({ onRefused: firstRefusal(report), isRefusal: isRefusedWrite });
  const published = new Subject<Published>();
  const reads = createFrameReads(window);

  let pending: Entry[] = [];
  let running: Promise<void> | undefined;
  let publishedUpTo = head?.upTo ?? 0;
  let isStopped = false;
  let isBroken = false;

  async function store(entries: readonly Entry[]): Promise<void> {
    const frames = entries.flatMap((entry) => entry.frames);
    if (frames.length === 0) return;
    const batch = {
      epoch,
      upTo: entries.at(-1)?.upTo ?? publishedUpTo,
      rows: frames.map(encodeFrame),
      topics: numbering.toStore(frames.map(({ topic }) => topic)),
    };
    if (share !== undefined) await share(batch);
    await writer.write(() => window.append(batch)).catch(breakWith);
    compaction.onStored(batch.rows);
  }

  function breakWith(error: unknown): never {
    isBroken = true;
    // At a stop a write is not tried again.
    if (!isStopped) broken(error);
    throw error;
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
    reads.clear();
    const oldestAt = compaction.onTick(tick.at);
    if (oldestAt !== undefined) numbering.forgetGone(oldestAt);
  }

  async function run(): Promise<void> {
    while (pending.length > 0 && !isBroken) {
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
    publishedUpTo: () => publishedUpTo,
    state: numbering.state,
    states: numbering.states,
    live: numbering.live,
    append(changes, upTo, tick) {
      if (isStopped || isBroken) return;
      pending.push({ frames: changes.map(numbering.number), upTo, tick });
      running ??= run();
    },
    oldestCursor: reads.oldestCursor,
    read: reads.read,
    frame: reads.frame,
    async stop() {
      isStopped = true;
      writer.stop();
      while (running) await running;
      await compaction.stop();
      published.complete();
    },
  };
}
