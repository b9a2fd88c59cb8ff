import { HOUR_MS } from '../../../streams/internal.ts';

/**
 * The calls of one caller in the last hour, exactly: a call counts from its millisecond until 3,600 s later. So no
 * 3,600 s ever hold more calls than the limit, and calls that come evenly at the limit are never refused.
 */
export interface Hour {
  /** Whose calls they are: `k:` and the id of a key, or `a:` and an address. */
  readonly id: string;
  /** One for each millisecond with calls, oldest first; those before `first` are over. */
  marks: number[];
  first: number;
  /** Calls in the marks from `first` on. */
  used: number;
}

/**
 * A mark is the time and the number of the calls of one millisecond in one number, as a flood of addresses makes many of
 * them. It stays below 2^53 until the year 2248. Further calls of the millisecond get another mark.
 */
const MOST_PER_MARK = 1_024;
const markOf = (at: number, calls: number) => at * MOST_PER_MARK + calls - 1;
const timeOf = (mark: number) => Math.floor(mark / MOST_PER_MARK);
const callsOf = (mark: number) => (mark % MOST_PER_MARK) + 1;

/** Marks that are over are removed when there are more of them than this and than this share of all. */
const MOST_OVER = 64;
const MOST_OVER_SHARE = 1 / 8;

export function emptyHour(id: string): Hour {
  return { id, marks: [], first: 0, used: 0 };
}

/** Drops the calls that are over at `now`. Times are in whole UTC ms and must not go back. */
export function advance(hour: Hour, now: number): void {
  const { marks } = hour;
  for (let mark = marks[hour.first]; mark !== undefined; mark = marks[hour.first]) {
    if (timeOf(mark) > now - HOUR_MS) break;
    hour.used -= callsOf(mark);
    hour.first += 1;
  }
  if (hour.first === marks.length) hour.marks = [];
  else if (hour.first > Math.max(MOST_OVER, MOST_OVER_SHARE * marks.length))
    hour.marks = marks.slice(hour.first);
  else return;
  hour.first = 0;
}

/** Counts one call, or returns false and counts nothing when the limit is reached. */
export function charge(hour: Hour, now: number, limit: number): boolean {
  advance(hour, now);
  if (hour.used >= limit) return false;
  add(hour, now, 1);
  return true;
}

/** Adds calls of a time that is not before the last one. */
export function add(hour: Hour, at: number, calls: number): void {
  const { marks } = hour;
  hour.used += calls;
  if (marks.length === 0 && calls <= MOST_PER_MARK) {
    // Most addresses call once, and an array that grows makes room for many.
    hour.marks = [markOf(at, calls)];
    return;
  }
  let left = calls;
  const last = marks.length - 1;
  const mark = marks[last];
  if (mark !== undefined && last >= hour.first && timeOf(mark) === at) {
    const fits = Math.min(left, MOST_PER_MARK - callsOf(mark));
    marks[last] = mark + fits;
    left -= fits;
  }
  for (; left > 0; left -= MOST_PER_MARK) marks.push(markOf(at, Math.min(left, MOST_PER_MARK)));
}

/** Takes back one call that was counted at `at`, unless it is over. */
export function refund(hour: Hour, at: number): void {
  const { marks, first } = hour;
  // Most are taken back at once, so they are at the end.
  for (let index = marks.length - 1; index >= first; index--) {
    const mark = marks[index] ?? 0;
    if (timeOf(mark) > at) continue;
    if (timeOf(mark) < at) return;
    hour.used -= 1;
    if (callsOf(mark) > 1) marks[index] = mark - 1;
    else marks.splice(index, 1);
    return;
  }
}

/** The time from which more calls are allowed than now, UTC ms; now when nothing is used. */
export function nextFreeAt({ marks, first, used }: Hour, limit: number, now: number): number {
  if (used === 0) return now;
  // A limit that was lowered may leave more used than it allows.
  let over = used - limit;
  for (let index = first; index < marks.length; index++) {
    const mark = marks[index] ?? 0;
    over -= callsOf(mark);
    if (over < 0) return timeOf(mark) + HOUR_MS;
  }
  return now;
}

/** The times of the calls and their number, oldest first. */
export function callsIn({ marks, first }: Hour): readonly (readonly [at: number, calls: number])[] {
  return marks.slice(first).map((mark) => [timeOf(mark), callsOf(mark)]);
}
