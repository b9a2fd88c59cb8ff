import type { PostTime } from '../state/records.ts';
import { HOUR_MS } from '../time-spans.ts';

/** Upper ends of the bins, ms; one more bin is for longer lags. */
const ENDS = [100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000, 300_000];

interface LagBin {
  readonly aboveMs: number;
  /** Null for the last bin, which has no end. */
  readonly upToMs: number | null;
  readonly count: number;
}

/** All posts of the hour before `now`, by the time until they were seen. */
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
