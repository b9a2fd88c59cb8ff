import { compareIds, countBetween } from '../../../streams/internal.ts';
import { createDayCache, type Overrides } from '../control/overrides.ts';
import { USUAL_SIZE, type WorldSize } from '../size.ts';
import type { Account, WorldAccountId } from './accounts.ts';
import { dayOf, postsOfDay } from './daily-posts.ts';
import type { Post } from './post.ts';
import { isCounted } from './post-kind.ts';
import { textOf } from './post-texts.ts';
import { createdAtOf, placeOf } from './snowflake.ts';

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
}

export interface Timeline {
  readonly startAt: number;
  /** Before it there are no posts. */
  readonly firstDay: number;
  day(account: WorldAccountId, day: number): TimelineDay;
  dayOf(account: WorldAccountId, at: number): number;
  /** What can be read at `now`, newest first. */
  newestFirst(account: WorldAccountId, now: number): Generator<Entry>;
  /** The version with this id if its post exists and is not deleted, replaced versions included. */
  find(id: string, now: number): Entry | undefined;
  /** Counted posts created in [fromAt, toAt), whether or not they were deleted later. */
  countedBetween(account: WorldAccountId, fromAt: number, toAt: number): number;
}

interface TimelineOptions {
  readonly seed: number;
  readonly startAt: number;
  readonly accounts: readonly Account[];
  readonly overrides: Overrides;
  readonly size?: WorldSize;
}

/** Whole days of posts are large, and the older ones are asked for only while a history is read. */
export function daysKept(accounts: readonly Account[]): number {
  return accounts.length > 20 ? 5 : 24;
}

/** Instants take little room, and whoever forms an opinion looks at weeks of them. */
const COUNTED_DAYS_KEPT = 400;

export function entryText(entry: Entry): string {
  const { post } = entry;
  const written = entry.id === post.id ? post.text : (post.editedText ?? post.text);
  if (written !== null) return written;
  const text = textOf(post.kind, post.id, post.createdAt);
  return entry.id === post.id ? text : `${text} (edited)`;
}

export function createTimeline(options: TimelineOptions): Timeline {
  const { startAt, accounts, overrides, size = USUAL_SIZE } = options;
  const firstDay = -size.historyDays;
  const byId = new Map(
    accounts.map((account) => [
      account.id,
      size.hasSilences ? { ...account, noSilenceHours: null } : account,
    ]),
  );

  function accountOf(id: WorldAccountId): Account {
    const account = byId.get(id);
    if (account === undefined) throw new RangeError(`no account ${id}`);
    return account;
  }

  const dayIndex = (account: WorldAccountId, at: number): number => dayOf(accountOf(account), startAt, at);

  function withOverrides(post: Post): Post {
    const edit = overrides.edits.get(post.id);
    const kind = overrides.kinds.get(post.id) ?? post.kind;
    const deletedAt = Math.min(post.deletedAt, overrides.deletions.get(post.id) ?? Number.POSITIVE_INFINITY);
    if (edit === undefined && deletedAt === post.deletedAt && kind === post.kind) return post;
    return { ...post, kind, deletedAt, edit: edit ?? post.edit, editedText: edit?.text ?? null };
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

  function build(id: WorldAccountId, day: number): TimelineDay {
    const account = accountOf(id);
    const own = day < firstDay ? [] : postsOfDay(account, options, day);
    const posts = [...own, ...manualPosts(account, day)].map(withOverrides);
    posts.sort((left, right) => left.createdAt - right.createdAt);
    const entries = posts.flatMap(versions).sort((left, right) => compareIds(left.id, right.id));
    return { posts, entries };
  }

  const cached = { overrides, dayOf: dayIndex };
  const dayAt = createDayCache({ ...cached, mostDays: daysKept(accounts) }, build);
  /** `createdAt` of the counted posts, ascending. */
  const countedAt = createDayCache({ ...cached, mostDays: COUNTED_DAYS_KEPT }, (account, day) =>
    Float64Array.from(
      dayAt(account, day)
        .posts.filter((post) => isCounted(post.kind))
        .map((post) => post.createdAt),
    ),
  );

  /** The accounts whose post the id may be: what was made by hand has any id. */
  function makersOf(id: string): ReadonlySet<WorldAccountId> {
    const makers = new Set<WorldAccountId>();
    const own = accounts[placeOf(id)];
    if (own !== undefined) makers.add(own.id);
    for (const { account } of overrides.posts) makers.add(account);
    for (const { account } of overrides.edits.values()) makers.add(account);
    return makers;
  }

  const timeline: Timeline = {
    startAt,
    firstDay,
    dayOf: dayIndex,
    day: dayAt,
    *newestFirst(account, now) {
      for (let day = timeline.dayOf(account, now); day >= firstDay; day--) {
        const { entries } = timeline.day(account, day);
        for (let index = entries.length - 1; index >= 0; index--) {
          const entry = entries[index];
          if (entry !== undefined && entry.shownAt <= now && now < entry.hiddenAt) yield entry;
        }
      }
    },
    find(id, now) {
      const at = createdAtOf(id);
      for (const account of makersOf(id)) {
        // An edit made by hand may carry an id of the day after its post's.
        for (const day of [dayIndex(account, at), dayIndex(account, at) - 1]) {
          const entry = dayAt(account, day).entries.find((candidate) => candidate.id === id);
          if (entry !== undefined)
            return entry.shownAt <= now && now < entry.post.deletedAt ? entry : undefined;
        }
      }
      return undefined;
    },
    countedBetween(account, fromAt, toAt) {
      let total = 0;
      const first = Math.max(firstDay, dayIndex(account, fromAt));
      const last = dayIndex(account, toAt);
      for (let day = first; day <= last; day++) {
        const instants = countedAt(account, day);
        total += day > first && day < last ? instants.length : countBetween(instants, fromAt, toAt);
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
