import { HOUR_MS } from '../durations.ts';
import { lowerBound } from '../sorted-times.ts';

/** A time span in which posts may have been missed. */
export interface Gap {
  readonly fromAt: number;
  readonly toAt: number;
}

/** The assumed past of an account before its history begins. */
export interface AssumedPast {
  readonly hours: number;
  readonly postsPerHour: number;
}

/** About the middle of the accounts examined. */
const USUAL_PAST: AssumedPast = { hours: 6, postsPerHour: 0.6 };

/** The posts of an account before `now`, by the hour. */
export interface AccountSeries {
  /** The first hour, counted from 1970. */
  readonly fromHour: number;
  readonly now: number;
  readonly assumed: AssumedPast;
  /** Posts of each whole hour; `MISSING` for an unseen hour. */
  readonly counts: Int16Array;
  /** When the last post of that hour was made, in ms after its start. */
  readonly lastPostMs: Int32Array;
  /** Posts of the hour of `now`, before `now`; `MISSING` while it is unseen. */
  readonly countThisHour: number;
  /** Null before the first post. */
  readonly lastPostAt: number | null;
}

export const MISSING = -1;
/** An hour is missing when more than a tenth of it was not observed. */
const MISSING_FROM_MS = HOUR_MS / 10;

/**
 * The history of an account from `fromAt` on, as known at `now`: later posts are ignored. `postTimes` are in UTC ms,
 * ascending.
 */
export function accountSeries(
  postTimes: ArrayLike<number>,
  fromAt: number,
  now: number,
  gaps: readonly Gap[] = [],
  assumed: AssumedPast = USUAL_PAST,
): AccountSeries {
  const fromHour = Math.floor(fromAt / HOUR_MS);
  const thisHour = Math.max(fromHour, Math.floor(now / HOUR_MS));
  const length = thisHour - fromHour;
  const counts = new Int16Array(length);
  const lastPostMs = new Int32Array(length);
  const first = lowerBound(postTimes, fromAt);
  const end = lowerBound(postTimes, now);
  let countThisHour = 0;
  for (let post = first; post < end; post++) {
    const at = postTimes[post] ?? 0;
    const index = Math.floor(at / HOUR_MS) - fromHour;
    if (index >= length) {
      countThisHour += 1;
      continue;
    }
    counts[index] = (counts[index] ?? 0) + 1;
    lastPostMs[index] = at - (fromHour + index) * HOUR_MS;
  }
  for (const gap of gaps) {
    markMissing(counts, fromHour, gap, now);
    if (gap.fromAt < now && gap.toAt >= now && now - gap.fromAt > MISSING_FROM_MS) countThisHour = MISSING;
  }
  return {
    fromHour,
    now,
    assumed,
    counts,
    lastPostMs,
    countThisHour,
    lastPostAt: end > first ? (postTimes[end - 1] ?? null) : null,
  };
}

function markMissing(counts: Int16Array, fromHour: number, { fromAt, toAt }: Gap, now: number): void {
  const until = Math.min(toAt, now);
  const firstIndex = Math.max(0, Math.floor(fromAt / HOUR_MS) - fromHour);
  for (let index = firstIndex; index < counts.length; index++) {
    const startAt = (fromHour + index) * HOUR_MS;
    if (startAt >= until) break;
    const unseenMs = Math.min(until, startAt + HOUR_MS) - Math.max(fromAt, startAt);
    if (unseenMs > MISSING_FROM_MS) counts[index] = MISSING;
  }
}
