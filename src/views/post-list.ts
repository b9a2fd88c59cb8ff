import { type AccountId, compareIds, type Output } from '../../streams/internal.ts';
import type { Outputs, TimelineEntry } from '../store/store.ts';

type PostOutput = Extract<Output, { readonly stream: 'posts' }>;

/** An account's posts, newest first by creation, then by key. */
export interface PostList extends Iterable<PostOutput> {
  readonly length: number;
  slice(from: number, to: number): readonly PostOutput[];
  /** What the posts are found by, without reading those that are not in memory. */
  entries(): Iterable<TimelineEntry>;
}

export function newestFirst(a: PostOutput, b: PostOutput): number {
  return b.record.createdAt - a.record.createdAt || compareIds(b.key, a.key);
}

/** The index of `post` in `posts`, or where it has to be inserted. */
export function placeOf(posts: readonly PostOutput[], post: PostOutput): number {
  let low = 0;
  let high = posts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = posts[middle];
    if (there !== undefined && newestFirst(there, post) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Posts that are all in memory. */
export function listOf(posts: readonly PostOutput[]): PostList {
  return {
    length: posts.length,
    slice: (from, to) => posts.slice(from, to),
    entries: () => posts.map(entryOf),
    [Symbol.iterator]: () => posts[Symbol.iterator](),
  };
}

/** The newest `length` posts of an account, of which the first are in memory and the others are read when asked for. */
export function storedList(
  outputs: Pick<Outputs, 'get' | 'timeline'>,
  account: AccountId,
  newest: readonly PostOutput[],
  length: number,
): PostList {
  const older = (offset = 0) =>
    newest.length < length ? outputs.timeline(account, { offset, after: newest.at(-1) }) : [];

  function read({ key }: TimelineEntry): readonly PostOutput[] {
    const post = outputs.get('posts', key);
    return post?.stream === 'posts' ? [post] : [];
  }

  return {
    length,
    slice(from, to) {
      const posts = newest.slice(from, to);
      const wanted = to - Math.max(from, newest.length);
      if (wanted <= 0) return posts;
      for (const entry of older(Math.max(0, from - newest.length))) {
        posts.push(...read(entry));
        if (posts.length >= to - from) break;
      }
      return posts;
    },
    *entries() {
      for (const post of newest) yield entryOf(post);
      yield* older();
    },
    *[Symbol.iterator]() {
      yield* newest;
      for (const entry of older()) yield* read(entry);
    },
  };
}

/** What a post is ordered and found by. */
export function entryOf({ key, seq, record }: PostOutput): TimelineEntry {
  const { createdAt, seenAt, via, deletedAt, oracleAt } = record;
  return {
    key,
    createdAt,
    seq,
    seenAt,
    isOnTimeline: via === 'timeline',
    isDeleted: deletedAt !== null,
    isInOracle: oracleAt !== null,
  };
}
