import { HOUR_MS, MINUTE_MS } from '../time-spans.ts';
import type { Post, PostTime } from './records.ts';

/** A post that was seen this long after it was made came with the history. */
/** What was imported is never news. */
const LATE_MS = { timeline: 2 * MINUTE_MS, oracle_list: 10 * MINUTE_MS, import: 0 };
/** How long a new post is highlighted. */
const FRESH_MS = 4_000;

export function timeOf({ tweet_id, created_ts, seen_ts, is_counted }: Post): PostTime {
  return { tweet_id, created_ts, seen_ts, is_counted };
}

/** Both lists merged, newest first and at most `most` posts; of two versions of a post the one in `newer` is kept. */
export function mergePosts<T extends PostTime>(
  older: readonly T[],
  newer: readonly T[],
  most: number,
): readonly T[] {
  const ids = new Set(newer.map(({ tweet_id }) => tweet_id));
  const kept = older.filter(({ tweet_id }) => !ids.has(tweet_id));
  return [...newer, ...kept].sort(newestFirst).slice(0, most);
}

function newestFirst(a: PostTime, b: PostTime): number {
  return b.created_ts - a.created_ts || (a.tweet_id < b.tweet_id ? 1 : -1);
}

export function kindOf({ is_reply, is_quote, is_retweet }: Post): string {
  if (is_retweet) return 'repost';
  if (is_quote) return 'quote';
  if (is_reply) return 'reply';
  return is_reply === null || is_quote === null ? 'unknown' : 'original';
}

export function isFresh({ created_ts, seen_ts, deleted_ts, via }: Post, now: number): boolean {
  return deleted_ts === null && seen_ts - created_ts < LATE_MS[via] && now - seen_ts < FRESH_MS;
}

export interface CountPoint {
  readonly at: number;
  readonly count: number;
}

/**
 * How the count of a window grew, counted backwards from the present count as far as posts are known. Deleted posts
 * stay counted.
 */
export function countSoFar(
  posts: readonly PostTime[],
  window: { readonly startAt: number; readonly endAt: number; readonly now: number },
  count: number,
): readonly CountPoint[] {
  const { startAt, endAt, now } = window;
  const points: CountPoint[] = [{ at: Math.min(now, endAt), count }];
  let left = count;
  for (const { created_ts: at, is_counted } of posts) {
    if (!is_counted || at >= endAt) continue;
    if (at < startAt || left <= 0) break;
    points.push({ at, count: left });
    left -= 1;
  }
  if (left <= 0) points.push({ at: startAt, count: 0 });
  return points.reverse();
}

/**
 * How long before `now` all posts are known: since the oldest of `posts`. A page of posts ends somewhere, and so does what
 * a caller without a key may see; before that nothing can be said.
 */
export function knownMs(posts: readonly PostTime[], now: number): number {
  return Math.max(0, now - (posts.at(-1)?.created_ts ?? now));
}

/** Posts in each of the `bins` hours up to `now`, oldest first. All of them have to be known. */
export function hourlyPosts(posts: readonly PostTime[], now: number, bins: number): readonly number[] {
  const hours = new Array<number>(bins).fill(0);
  for (const { created_ts } of posts) {
    const place = bins - 1 - Math.floor((now - created_ts) / HOUR_MS);
    if (place < 0) break;
    if (place < bins) hours[place] = (hours[place] ?? 0) + 1;
  }
  return hours;
}

/** The time to draw a chart for: it advances each `everyMs` and with every post, so that charts are not drawn each second. */
export function drawTime(posts: readonly PostTime[], now: number, everyMs: number): number {
  return Math.max(posts[0]?.created_ts ?? 0, now - (now % everyMs));
}
