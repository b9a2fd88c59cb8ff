import type { Post } from './records.ts';

/** More are of no use: the longest window is a month. */
const MOST = 6_000;

/** Both lists as one, newest first; of a post told twice the one in `newer` counts. */
export function mergePosts(older: readonly Post[], newer: readonly Post[]): readonly Post[] {
  const byId = new Map([...older, ...newer].map((post) => [post.tweet_id, post]));
  const merged = [...byId.values()].sort(
    (a, b) => b.created_ts - a.created_ts || (a.tweet_id < b.tweet_id ? 1 : -1),
  );
  return merged.slice(0, MOST);
}

export function kindOf({ is_reply, is_quote, is_retweet }: Post): string {
  if (is_retweet) return 'repost';
  if (is_quote) return 'quote';
  return is_reply ? 'reply' : 'original';
}

export interface CountPoint {
  readonly at: number;
  readonly count: number;
}

/**
 * How the count of a window grew, as far back as posts are known, reckoned back from the count of now. Deleted
 * posts stay counted.
 */
export function countSoFar(
  posts: readonly Post[],
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

/** Posts in each of the `bins` hours up to `now`, oldest first. */
export function hourlyPosts(posts: readonly Post[], now: number, bins: number): readonly number[] {
  const hours = new Array<number>(bins).fill(0);
  for (const { created_ts } of posts) {
    const place = bins - 1 - Math.floor((now - created_ts) / 3_600_000);
    if (place >= 0 && place < bins) hours[place] = (hours[place] ?? 0) + 1;
  }
  return hours;
}
