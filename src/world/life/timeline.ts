import { compareIds, countBetween } from '../../../streams/internal.ts';
import { createDayCache, type Overrides } from '../control/overrides.ts';
import { ACCOUNTS, type Account, accountOf, type WorldAccountId } from './accounts.ts';
import { dayOf, HISTORY_DAYS, postsOfDay } from './daily-posts.ts';
import type { Post } from './post.ts';
import { isCounted } from './post-kind.ts';
import { textOf } from './post-texts.ts';
import { createdAtOf } from './snowflake.ts';

/** One version of a post. An edit replaces the version before it under a new id. */
export interface Entry {
  readonly id: string;
  readonly post: Post;
  readonly createdAt: number;
  readonly shownAt: number;
  /** Replaced or deleted at this instant, or Infinity. */
  readonly hiddenAt: number;
}

interface TimelineDay {
  /** Oldest first. */
  readonly posts: readonly Post[];
  /** Versions by id, oldest first. */
  readonly entries: readonly Entry[];
  /** `createdAt` of the counted posts, ascending. */
  readonly countedAt: readonly number[];
}

export interface Timeline {
  readonly startAt: number;
  day(account: WorldAccountId, day: number): TimelineDay;
  dayOf(account: WorldAccountId, at: number): number;
  /** What can be read at `now`, newest first. */
  newestFirst(account: WorldAccountId, now: number): Generator<Entry>;
  /** The version with this id if its post exists and is not deleted, replaced versions included. */
  find(id: string, now: number): Entry | undefined;
  /** Counted posts created in [fromAt, toAt), whether or not they were deleted later. */
  countedBetween(account: WorldAccountId, fromAt: number, toAt: number): number;
}

export function entryText(entry: Entry): string {
  const { post } = entry;
  const written = entry.id === post.id ? post.text : (post.editedText ?? post.text);
  if (written !== null) return written;
  const text = textOf(post.kind, post.id, post.createdAt);
  return entry.id === post.id ? text : `${text} (edited)`;
}

export function createTimeline(options: {
  readonly seed: number;
  readonly startAt: number;
  readonly overrides: Overrides;
}): Timeline {
  const { startAt, overrides } = options;
  const generatedDays = new Map<string, readonly Post[]>();
  const dayIndex = (account: WorldAccountId, at: number): number => dayOf(accountOf(account), startAt, at);
  const cachedDay = createDayCache<TimelineDay>(overrides, dayIndex);

  function generatedPosts(account: Account, day: number): readonly Post[] {
    const key = `${account.id}${day}`;
    const posts = generatedDays.get(key) ?? postsOfDay(account, options, day);
    generatedDays.set(key, posts);
    return posts;
  }

  function withOverrides(post: Post): Post {
    const edit = overrides.edits.get(post.id);
    const deletedAt = Math.min(post.deletedAt, overrides.deletions.get(post.id) ?? Number.POSITIVE_INFINITY);
    if (edit === undefined && deletedAt === post.deletedAt) return post;
    return { ...post, deletedAt, edit: edit ?? post.edit, editedText: edit?.text ?? null };
  }

  function manualPosts(account: Account, day: number): readonly Post[] {
    return overrides.posts
      .filter((post) => post.account === account.id && dayOf(account, startAt, post.createdAt) === day)
      .map((post) => ({
        ...post,
        account,
        deletedAt: Number.POSITIVE_INFINITY,
        edit: null,
        isManual: true,
        editedText: null,
      }));
  }

  function build(account: Account, day: number): TimelineDay {
    const posts = [...generatedPosts(account, day), ...manualPosts(account, day)].map(withOverrides);
    posts.sort((left, right) => left.createdAt - right.createdAt);
    const entries = posts.flatMap(versions).sort((left, right) => compareIds(left.id, right.id));
    const countedAt = posts.filter((post) => isCounted(post.kind)).map((post) => post.createdAt);
    return { posts, entries, countedAt };
  }

  const timeline: Timeline = {
    startAt,
    dayOf: dayIndex,
    day: (account, day) => cachedDay(account, day, () => build(accountOf(account), day)),
    *newestFirst(account, now) {
      for (let day = timeline.dayOf(account, now); day >= -HISTORY_DAYS; day--) {
        const { entries } = timeline.day(account, day);
        for (let index = entries.length - 1; index >= 0; index--) {
          const entry = entries[index];
          if (entry !== undefined && entry.shownAt <= now && now < entry.hiddenAt) yield entry;
        }
      }
    },
    find(id, now) {
      const at = createdAtOf(id);
      for (const account of ACCOUNTS) {
        // An edit made by hand may carry an id of the day after its post's.
        for (const day of [timeline.dayOf(account.id, at), timeline.dayOf(account.id, at) - 1]) {
          const entry = timeline.day(account.id, day).entries.find((candidate) => candidate.id === id);
          if (entry !== undefined)
            return entry.shownAt <= now && now < entry.post.deletedAt ? entry : undefined;
        }
      }
      return undefined;
    },
    countedBetween(account, fromAt, toAt) {
      let total = 0;
      const last = timeline.dayOf(account, toAt);
      for (let day = Math.max(-HISTORY_DAYS, timeline.dayOf(account, fromAt)); day <= last; day++) {
        total += countBetween(timeline.day(account, day).countedAt, fromAt, toAt);
      }
      return total;
    },
  };
  return timeline;
}

function versions(post: Post): readonly Entry[] {
  const { edit, createdAt, shownAt, deletedAt } = post;
  if (edit === null) return [{ id: post.id, post, createdAt, shownAt, hiddenAt: deletedAt }];
  return [
    { id: post.id, post, createdAt, shownAt, hiddenAt: Math.min(deletedAt, edit.at) },
    { id: edit.id, post, createdAt: edit.at, shownAt: edit.at, hiddenAt: deletedAt },
  ];
}
