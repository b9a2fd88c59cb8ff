import { DAY_MS } from '../../../streams/internal.ts';
import type { StoredFrames } from '../../store/store.ts';
import type { Topic } from '../channels.ts';
import type { Frame } from './frames.ts';

/** How long readers may come back and be told what they missed. */
const WINDOW_MS = DAY_MS;
/** Frames of a topic between two looks at whether some can be packed. */
const PACK_EVERY = 64;
const PRUNE_EVERY_TICKS = 60;
const PRUNE_ROWS = 500;

/** Keeps what is stored small, beside the writing of what is new: nobody waits for it. */
export interface Compaction {
  /** Frames that were stored. */
  added(frames: readonly Frame[]): void;
  /** One more second, at `at`. Once a minute what is too old is dropped: returns the oldest time that is not. */
  second(at: number): number | undefined;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

export function createCompaction(window: StoredFrames, report: (error: unknown) => void): Compaction {
  /** Added since the last look. */
  const fresh = new Map<Topic, number>();
  let work: Promise<unknown> = Promise.resolve();
  let ticks = 0;

  const then = (step: () => Promise<unknown>) => {
    work = work.then(step).catch(report);
  };

  return {
    added(frames) {
      for (const { topic } of frames) {
        const count = (fresh.get(topic) ?? 0) + 1;
        fresh.set(topic, count % PACK_EVERY);
        if (count === PACK_EVERY) then(() => window.pack(topic.name));
      }
    },
    second(at) {
      ticks += 1;
      if (ticks % PRUNE_EVERY_TICKS !== 0) return undefined;
      const beforeAt = at - WINDOW_MS;
      then(() => window.prune(beforeAt, PRUNE_ROWS));
      return beforeAt;
    },
    stop: () => work.then(() => undefined),
  };
}
