import { MINUTE_MS } from '../../../streams/internal.ts';

/** The minutes of an hour, and the minute that was an hour ago, which counts whole. */
export const KEPT_MINUTES = 61;

/**
 * How often one caller called in the last hour, by minutes since 1970. As the oldest minute counts whole, no
 * 3,600 s ever hold more calls than the limit; what is used up comes back at most 60 s late.
 */
export interface Hour {
  /** Whose calls they are: `k:` and the id of a key, or `a:` and an address. */
  id: string;
  /** Shared with other hours: `KEPT_MINUTES` counts from `base` on belong to this one, at minute modulo `KEPT_MINUTES`. */
  readonly counts: Uint32Array;
  readonly base: number;
  /** The newest minute seen. It never goes back. */
  minute: number;
  /** Calls in the kept minutes. */
  used: number;
  /** The oldest kept minute with a call; meaningless without any. */
  oldest: number;
  /** Changed since it was last stored. */
  isDirty: boolean;
}

export function minuteOf(nowMs: number): number {
  return Math.floor(nowMs / MINUTE_MS);
}

/** Drops the minutes before the kept ones. */
export function advance(hour: Hour, minute: number): void {
  if (minute <= hour.minute) return;
  const { counts, base } = hour;
  const first = Math.max(hour.minute + 1, minute - KEPT_MINUTES + 1);
  for (let each = first; each <= minute; each++) {
    const at = base + (each % KEPT_MINUTES);
    hour.used -= counts[at] ?? 0;
    counts[at] = 0;
  }
  hour.minute = minute;
  findOldest(hour);
}

/** Counts one call, or returns false and counts nothing when the limit is reached. */
export function charge(hour: Hour, minute: number, limit: number): boolean {
  advance(hour, minute);
  if (hour.used >= limit) return false;
  add(hour, minute, 1);
  return true;
}

/** Adds calls of a kept minute. */
export function add(hour: Hour, minute: number, calls: number): void {
  const at = hour.base + (minute % KEPT_MINUTES);
  hour.counts[at] = (hour.counts[at] ?? 0) + calls;
  if (hour.used === 0 || minute < hour.oldest) hour.oldest = minute;
  hour.used += calls;
}

/** Takes back one call that was counted in `minute`, unless that minute was dropped. */
export function refund(hour: Hour, minute: number): void {
  const at = hour.base + (minute % KEPT_MINUTES);
  const count = hour.counts[at] ?? 0;
  if (minute <= hour.minute - KEPT_MINUTES || count === 0) return;
  hour.counts[at] = count - 1;
  hour.used -= 1;
  findOldest(hour);
}

/** The time from which one more call is free, UTC ms; now when nothing is used. */
export function nextFreeAt(hour: Hour, nowMs: number): number {
  return hour.used === 0 ? nowMs : (hour.oldest + KEPT_MINUTES) * MINUTE_MS;
}

/** Every kept minute with calls, and their number. */
export function minutesOf(hour: Hour): readonly (readonly [minute: number, calls: number])[] {
  const minutes: [number, number][] = [];
  for (let minute = hour.minute - KEPT_MINUTES + 1; minute <= hour.minute; minute++) {
    const calls = hour.counts[hour.base + (minute % KEPT_MINUTES)] ?? 0;
    if (calls > 0) minutes.push([minute, calls]);
  }
  return minutes;
}

function findOldest(hour: Hour): void {
  const { counts, base, minute } = hour;
  let oldest = Math.max(hour.oldest, minute - KEPT_MINUTES + 1);
  while (oldest < minute && counts[base + (oldest % KEPT_MINUTES)] === 0) oldest += 1;
  hour.oldest = oldest;
}
