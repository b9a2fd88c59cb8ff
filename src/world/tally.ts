import type { WorldAccountId } from './accounts.ts';
import { HOUR_MS } from './calendar.ts';
import { isCounted } from './counting.ts';
import type { WorldEvent } from './event.ts';
import { HISTORY_DAYS } from './life.ts';
import { unit } from './rng.ts';
import type { Window } from './schedule.ts';
import type { Steering } from './steering.ts';
import type { Sync } from './sync.ts';
import type { Post, Timeline } from './timeline.ts';

/** A post the oracle has taken in, and when. */
export interface Import {
  readonly post: Post;
  readonly importedAt: number;
}

/** What the oracle has counted, as it stood at any instant. */
export interface Tally {
  /** The count of a window as it stood at `at`. */
  total(event: WorldEvent, at: number): number;
  countOf(account: WorldAccountId, window: Window, at: number): number;
  /** Counts per hour of the window, from its start to the hour of `at`. */
  hourly(
    account: WorldAccountId,
    window: Window,
    at: number,
  ): readonly { readonly hourAt: number; readonly count: number }[];
  /** What was imported by `at` and created in the window, oldest first. */
  imports(account: WorldAccountId, window: Window, at: number): readonly Import[];
}

export function createTally(options: {
  readonly seed: number;
  readonly steering: Steering;
  readonly timeline: Timeline;
  readonly sync: Sync;
}): Tally {
  const { seed, steering, timeline, sync } = options;
  const days = new Map<string, readonly Import[]>();
  let revision = steering.revision;

  /** The oracle's classifier, which errs a little in both directions and for good. */
  function isRecorded(post: Post): boolean {
    if (post.isSteered) return isCounted(post.kind);
    const draw = unit(seed, 'classifier', post.id);
    return isCounted(post.kind) ? draw >= 0.003 : post.kind === 'reply' && draw < 0.003;
  }

  /** The first sync that finds the post; one in twenty is found one to four syncs later. */
  function importedAt(post: Post): number {
    const account = post.account.id;
    let at = sync.nextAt(account, post.shownAt + 1_000);
    const draw = unit(seed, 'late', post.id);
    const skipped = post.isSteered || draw >= 0.05 ? 0 : 1 + Math.floor(draw * 80);
    for (let index = 0; index < skipped && at < Number.POSITIVE_INFINITY; index++)
      at = sync.nextAt(account, at + 1);
    return at < post.deletedAt ? at : Number.POSITIVE_INFINITY;
  }

  function importsOfDay(account: WorldAccountId, day: number): readonly Import[] {
    if (revision !== steering.revision) {
      revision = steering.revision;
      days.clear();
    }
    const key = `${account}${day}`;
    let imports = days.get(key);
    if (imports === undefined) {
      imports = timeline
        .day(account, day)
        .posts.filter(isRecorded)
        .map((post) => ({ post, importedAt: importedAt(post) }))
        .filter((row) => row.importedAt < Number.POSITIVE_INFINITY);
      days.set(key, imports);
    }
    return imports;
  }

  function* within(account: WorldAccountId, window: Window, at: number): Generator<Import> {
    const last = timeline.dayOf(account, Math.min(at, window.endAt));
    const first = Math.max(-HISTORY_DAYS, timeline.dayOf(account, window.startAt));
    for (let day = first; day <= last; day++) {
      for (const row of importsOfDay(account, day)) {
        const { createdAt } = row.post;
        if (createdAt >= window.startAt && createdAt < window.endAt && row.importedAt <= at) yield row;
      }
    }
  }

  function countOf(account: WorldAccountId, window: Window, at: number): number {
    let count = 0;
    for (const _ of within(account, window, at)) count++;
    return count;
  }

  return {
    countOf,
    total(event, at) {
      const forced = steering.oracleTotals.get(event.id);
      if (forced !== undefined && forced.at <= at) return forced.value;
      return event.subject.type === 'posts' ? countOf(event.subject.account.id, event, at) : 0;
    },
    hourly(account, window, at) {
      const lastAt = Math.min(at, window.endAt - 1);
      const rows: { hourAt: number; count: number }[] = [];
      for (let hourAt = window.startAt; hourAt <= lastAt; hourAt += HOUR_MS) rows.push({ hourAt, count: 0 });
      for (const { post } of within(account, window, at)) {
        const row = rows[Math.floor((post.createdAt - window.startAt) / HOUR_MS)];
        if (row !== undefined) row.count++;
      }
      return rows;
    },
    imports: (account, window, at) => [...within(account, window, at)],
  };
}
