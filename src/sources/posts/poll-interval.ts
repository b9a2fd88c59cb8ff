import { type Bucket, MINUTE_MS } from '../../../streams/internal.ts';

/** How often a timeline is asked for new posts, in ms: always the same where the three intervals are. */
export interface Polling {
  /** While a post may decide. */
  readonly fastestMs: number;
  /** While a window is open. */
  readonly usualMs: number;
  /** While none is. */
  readonly slowestMs: number;
  /** A count this many posts from another bucket may change it any moment. */
  readonly nearPosts: number;
  /** How long before its close each post of a window may decide. */
  readonly nearCloseMs: number;
}

/** An event as far as it matters for polling. */
export interface PolledEvent {
  /** UTC ms; null while it is not known. */
  readonly startAt: number | null;
  readonly endAt: number;
  /** Counted posts of its window; null while they are not all known. */
  readonly count: number | null;
  readonly buckets: readonly Pick<Bucket, 'lo'>[];
}

interface PollFacts {
  readonly polling: Polling;
  readonly events: readonly PolledEvent[];
}

/** The last posts of a window are seen after its close. */
const AFTER_CLOSE_MS = MINUTE_MS;

/** Always the same interval. */
export function pollEvery(ms: number): Polling {
  return { fastestMs: ms, usualMs: ms, slowestMs: ms, nearPosts: 0, nearCloseMs: 0 };
}

/**
 * Ms from one look for new posts to the next, at `now` (UTC ms). It decides when posts are seen, and nothing that is
 * computed of them: a replay has no part in it.
 */
export function pollInterval({ polling, events }: PollFacts, now: number): number {
  const open = events.filter(
    ({ startAt, endAt }) => startAt !== null && startAt <= now && now < endAt + AFTER_CLOSE_MS,
  );
  if (open.length === 0) return polling.slowestMs;
  return open.some((event) => mayDecide(event, polling, now)) ? polling.fastestMs : polling.usualMs;
}

/** Whether the next post may be the one that decides. Of a count that is not known it may. */
function mayDecide(
  { endAt, count, buckets }: PolledEvent,
  { nearPosts, nearCloseMs }: Polling,
  now: number,
): boolean {
  if (count === null || now >= endAt - nearCloseMs) return true;
  // A deletion may take a count back over an edge.
  return buckets.some(({ lo }) => lo !== null && lo > 0 && Math.abs(lo - 0.5 - count) < nearPosts);
}
