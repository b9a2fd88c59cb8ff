import { HOUR_MS } from '../../../../streams/internal.ts';

/**
 * The calls of one caller that count at the engine, by time. Other than in the hour of a single process they come in any
 * order, and what was granted stands at the end of its validity until the edge has told when it was spent.
 */
export interface LedgerHour {
  /** Ascending. */
  times: number[];
  /** Calls of each time. */
  counts: number[];
  used: number;
}

export function emptyLedgerHour(): LedgerHour {
  return { times: [], counts: [], used: 0 };
}

/** Drops the calls that are over at `now`: those of an hour ago and before. */
export function dropOver(hour: LedgerHour, now: number): void {
  const { times, counts } = hour;
  let over = 0;
  for (let at = times[over]; at !== undefined && at <= now - HOUR_MS; at = times[over]) {
    hour.used -= counts[over] ?? 0;
    over += 1;
  }
  if (over === 0) return;
  hour.times = times.slice(over);
  hour.counts = counts.slice(over);
}

export function addCalls(hour: LedgerHour, at: number, calls: number): void {
  if (calls === 0) return;
  const { times, counts } = hour;
  const index = lastNotAfter(times, at);
  hour.used += calls;
  if (times[index] === at) {
    counts[index] = (counts[index] ?? 0) + calls;
    return;
  }
  times.splice(index + 1, 0, at);
  counts.splice(index + 1, 0, calls);
}

/** Takes calls of `at` away, or of the last times before it: an earlier call in place of a later one never frees too much. */
export function takeCalls(hour: LedgerHour, at: number, calls: number): void {
  const { times, counts } = hour;
  let left = calls;
  for (let index = lastNotAfter(times, at); index >= 0 && left > 0; index--) {
    const count = counts[index] ?? 0;
    const taken = Math.min(left, count);
    left -= taken;
    hour.used -= taken;
    counts[index] = count - taken;
    if (taken < count) return;
    times.splice(index, 1);
    counts.splice(index, 1);
  }
}

/** When fewer than `limit` calls count; an hour from now when that cannot be told. */
export function freeAt({ times, counts, used }: LedgerHour, limit: number, now: number): number {
  let over = used - limit;
  for (let index = 0; over >= 0 && index < times.length; index++) {
    over -= counts[index] ?? 0;
    if (over < 0) return (times[index] ?? now) + HOUR_MS;
  }
  return over < 0 ? now : now + HOUR_MS;
}

/** Nearly all are at the end. */
function lastNotAfter(times: readonly number[], at: number): number {
  let index = times.length - 1;
  while (index >= 0 && (times[index] ?? 0) > at) index -= 1;
  return index;
}
