import type { PostTime } from '../state/records.ts';

const HOUR_MS = 3_600_000;
/** Upper ends of the bins, ms; a last one is for all that took longer. */
const ENDS = [100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000, 300_000];

export interface LagBin {
  readonly aboveMs: number;
  /** Null for the last one, which has no end. */
  readonly upToMs: number | null;
  readonly count: number;
}

/** Posts made in the hour up to `now`, all of them, by how long they took to be seen. */
export function lagBins(times: readonly PostTime[], now: number): readonly LagBin[] {
  const lags = times
    .filter(({ created_ts }) => now - created_ts < HOUR_MS)
    .map(({ created_ts, seen_ts }) => seen_ts - created_ts);
  return [...ENDS, null].map((upToMs, place) => {
    const aboveMs = ENDS[place - 1] ?? Number.NEGATIVE_INFINITY;
    const isIn = (lagMs: number) => lagMs > aboveMs && (upToMs === null || lagMs <= upToMs);
    return { aboveMs, upToMs, count: lags.filter(isIn).length };
  });
}
