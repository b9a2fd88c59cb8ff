import { DAY_MS } from '../../../streams/internal.ts';
import type { FeedRow, StoredFrames } from '../../store/store.ts';

/** How long a reader may be away and still get every missed frame. */
const WINDOW_MS = DAY_MS;
/** Frames of a topic between two attempts to pack some of them. */
const PACK_EVERY = 64;
const PRUNE_EVERY_TICKS = 60;
const PRUNE_ROWS = 500;

/** Packs and prunes the stored frames in the background. */
interface Compaction {
  onStored(rows: readonly FeedRow[]): void;
  /** Has to be called each second. Once a minute it drops old frames and returns the oldest time that is kept. */
  onTick(at: number): number | undefined;
  /** Resolves when nothing is in progress. */
  stop(): Promise<void>;
}

export function createCompaction(window: StoredFrames, report: (error: unknown) => void): Compaction {
  const unpacked = new Map<string, number>();
  let work: Promise<unknown> = Promise.resolve();
  let ticks = 0;

  const then = (step: () => Promise<unknown>) => {
    work = work.then(step).catch(report);
  };

  return {
    onStored(rows) {
      for (const { topic } of rows) {
        const count = (unpacked.get(topic) ?? 0) + 1;
        unpacked.set(topic, count % PACK_EVERY);
        if (count === PACK_EVERY) then(() => window.pack(topic));
      }
    },
    onTick(at) {
      ticks += 1;
      if (ticks % PRUNE_EVERY_TICKS !== 0) return undefined;
      const beforeAt = at - WINDOW_MS;
      then(() => window.prune(beforeAt, PRUNE_ROWS));
      return beforeAt;
    },
    stop: () => work.then(() => undefined),
  };
}
