import * as z from 'zod';
import type { OnKept } from './simulated-disk.ts';

const observations = z.array(z.object({ receivedAt: z.number(), aheadMs: z.number().optional() }));
const batch = z.object({ rows: z.array(z.object({ at: z.number() })) });

/** So exactly is it known when a frame was made, whose engine may have a calendar that is wrong by less than this. */
export const RECENT_MS = 15_000;

interface DatedFrame {
  readonly type: 'update' | 'snapshot';
  /** UTC ms, by the engine that made it. */
  readonly at: number;
}

interface FrameTimes {
  readonly onKept: OnKept;
  /** Whether a frame that is sent now was made a moment ago, under a calendar that was right. */
  isRecent(frame: DatedFrame): boolean;
}

/** Tells frames of now from older ones that are sent again, also where the calendar was set when those were made. */
export function createFrameTimes(trueNow: () => number): FrameTimes {
  /** When the frames that have a time were stored. */
  const storedAt = new Map<number, number>();
  /**
   * Times that the log had before the world, where the calendar was or had been ahead: it never goes back. What has such a
   * time may be older, if the disk held it up.
   */
  const aheadAt = new Set<number>();
  const isNear = (a: number, b: number) => Math.abs(a - b) <= RECENT_MS;
  return {
    onKept(part, method, args) {
      if (method !== 'append') return;
      const now = trueNow();
      if (part === 'journal')
        for (const { receivedAt, aheadMs = 0 } of observations.parse(args[0]))
          if (aheadMs > RECENT_MS || receivedAt - now > RECENT_MS) aheadAt.add(receivedAt);
      if (part === 'feed') for (const { at } of batch.parse(args[0]).rows) storedAt.set(at, now);
      for (const [at, since] of storedAt) {
        if (isNear(since, now)) break;
        storedAt.delete(at);
      }
      for (const at of aheadAt) {
        if (at > now - RECENT_MS) break;
        aheadAt.delete(at);
      }
    },
    isRecent({ type, at }) {
      if (!isNear(at, trueNow()) || aheadAt.has(at)) return false;
      // A snapshot is made when it is sent.
      return type === 'snapshot' || isNear(at, storedAt.get(at) ?? Number.NEGATIVE_INFINITY);
    },
  };
}
