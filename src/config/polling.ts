import { MINUTE_MS } from '../../streams/internal.ts';
import type { Fault } from '../errors.ts';
import { unexpected } from './faults.ts';
import type { Fields, Read } from './fields.ts';
import { integer, seconds } from './formats.ts';

/** How often an account's timeline is asked for new posts, in ms: always the same where the three intervals are. */
export interface PollingConfig {
  /** While a post may decide: near the edge of a bucket, or near the close. */
  readonly fastestMs: number;
  /** While a window is open. */
  readonly usualMs: number;
  /** While none is. */
  readonly slowestMs: number;
  /** How many posts from another bucket a count is near it. */
  readonly nearPosts: number;
  /** How long before the end of a window its close is near. */
  readonly nearCloseMs: number;
}

/** The longest interval. A poll reads what was posted since the last one, so nothing is lost in it. */
const SLOWEST_SECONDS = 3_600;

/** The fields of `polling` in an account's entry. */
export const POLLING_FIELDS = {
  fastestSeconds: seconds(1, SLOWEST_SECONDS),
  usualSeconds: seconds(1, SLOWEST_SECONDS),
  slowestSeconds: seconds(1, SLOWEST_SECONDS),
  nearPosts: integer(0, 1_000, 'posts'),
  nearCloseMinutes: integer(0, 10_080, 'minutes'),
} satisfies Fields;

export type PollingEntry = Read<typeof POLLING_FIELDS>;

const NEAR_POSTS = 2;
const NEAR_CLOSE_MINUTES = 60;

/**
 * The polling that an entry asks for. An interval that is not given is that of the next faster one, and the fastest is
 * `defaultMs`: an entry without intervals is polled as all accounts are.
 */
export function toPolling(entry: PollingEntry | undefined, defaultMs: number): PollingConfig {
  const { fastestSeconds, usualSeconds, slowestSeconds, nearPosts, nearCloseMinutes } = entry ?? {};
  const fastestMs =
    toMs(fastestSeconds) ?? Math.min(defaultMs, toMs(usualSeconds) ?? toMs(slowestSeconds) ?? defaultMs);
  const usualMs = toMs(usualSeconds) ?? fastestMs;
  return {
    fastestMs,
    usualMs,
    slowestMs: toMs(slowestSeconds) ?? usualMs,
    nearPosts: nearPosts ?? NEAR_POSTS,
    nearCloseMs: (nearCloseMinutes ?? NEAR_CLOSE_MINUTES) * MINUTE_MS,
  };
}

function toMs(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1_000;
}

/** Posts are older than the interval by the time of an exchange, and one answer may fail. */
const INTERVALS_UNTIL_STALE = 2;

/**
 * The age from which posts of an account are stale, unless its entry says so: the limit of all accounts, or later where
 * the account is promised to be polled more slowly. With a shorter one it would be stale though all is well.
 */
export function stalePostsMs({ slowestMs }: PollingConfig, limitMs: number): number {
  return Math.max(limitMs, INTERVALS_UNTIL_STALE * slowestMs);
}

/** Intervals that are not in order, or as long as posts may be old. `place` is that of the polling. */
export function pollingFaults(
  { fastestMs, usualMs, slowestMs }: PollingConfig,
  staleAfterMs: number,
  place: string,
): readonly Fault[] {
  const faults: Fault[] = [];
  const fault = (field: keyof PollingEntry, expected: string, foundMs: number) =>
    faults.push(unexpected(`${place}.${field}`, expected, foundMs / 1_000));
  if (usualMs < fastestMs) fault('usualSeconds', `no less than the fastest ${fastestMs / 1_000} s`, usualMs);
  if (slowestMs < usualMs) fault('slowestSeconds', `no less than the usual ${usualMs / 1_000} s`, slowestMs);
  if (slowestMs >= staleAfterMs) {
    const limit = `less than the ${staleAfterMs / 1_000} s after which posts are stale`;
    fault('slowestSeconds', limit, slowestMs);
  }
  return faults;
}

/** The same where the polling follows from other settings, so that the limit is at fault. `place` is that of the limit. */
export function limitFaults(
  { slowestMs }: PollingConfig,
  staleAfterMs: number,
  place: string,
): readonly Fault[] {
  if (slowestMs < staleAfterMs) return [];
  const looks = `more than the ${slowestMs / 1_000} s between two looks for posts`;
  return [unexpected(place, looks, staleAfterMs / 1_000)];
}
