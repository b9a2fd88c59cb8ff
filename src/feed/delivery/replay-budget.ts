import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../../streams/internal.ts';

/** Callers whose budget is remembered. One that is forgotten has its whole budget again. */
const MAX_CALLERS = 10_000;

/** What callers are sent of the past, snapshots and missed frames, over all their connections. */
export interface ReplayBudget {
  /** Whether the caller has not used up its budget. */
  allows(caller: string): boolean;
  /** May take more than is left, as frames are sent whole: the caller then waits the longer. */
  take(caller: string, bytes: number): void;
}

interface Bucket {
  /** As of `at`; below 0 after more was taken than was left. */
  readonly bytes: number;
  /** Ms of a clock that never goes back. */
  readonly at: number;
}

/** A caller that was sent nothing of the past for a minute may take a minute's bytes at once. `now` is in ms and never goes back. */
export function createReplayBudget(bytesPerMinute: number, now: () => number): ReplayBudget {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_CALLERS });

  function left(caller: string, nowMs: number): number {
    const bucket = buckets.get(caller);
    if (bucket === undefined) return bytesPerMinute;
    return Math.min(bytesPerMinute, bucket.bytes + ((nowMs - bucket.at) / MINUTE_MS) * bytesPerMinute);
  }

  return {
    allows: (caller) => left(caller, now()) > 0,
    take(caller, bytes) {
      const at = now();
      buckets.set(caller, { bytes: left(caller, at) - bytes, at });
    },
  };
}
