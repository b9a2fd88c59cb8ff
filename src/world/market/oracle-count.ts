import { HOUR_MS } from '../../../streams/internal.ts';
import { createDayCache, type Overrides } from '../control/overrides.ts';
import type { Account, WorldAccountId } from '../life/accounts.ts';
import type { Post } from '../life/post.ts';
import { isCounted } from '../life/post-kind.ts';
import { daysKept, type Timeline } from '../life/timeline.ts';
import { unit } from '../rng.ts';
import type { WorldEvent } from './event.ts';
import type { Window } from './event-series.ts';
import type { OracleSync } from './oracle-sync.ts';

/** A post the oracle has taken in, and when. */
export interface Import {
  readonly post: Post;
  readonly importedAt: number;
}

/** What the oracle has of a day in the end. */
interface ImportSummary {
  readonly count: number;
  /** When the first and the last of them were created, and when the last was taken in. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly lastImportedAt: number;
}

const SUMMARIES_KEPT = 400;

/** What the oracle has counted, as it stood at any instant. */
export interface OracleCount {
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

export function createOracleCount(options: {
  readonly seed: number;
  readonly accounts: readonly Account[];
  readonly overrides: Overrides;
  readonly timeline: Timeline;
  readonly sync: OracleSync;
}): OracleCount {
  const { seed, accounts, overrides, timeline, sync } = options;

  /** The oracle's classifier, which errs a little in both directions and for good. */
  function isRecorded(post: Post): boolean {
    if (post.isManual) return isCounted(post.kind);
    const draw = unit(seed, 'classifier', post.id);
    return isCounted(post.kind) ? draw >= 0.003 : post.kind === 'reply' && draw < 0.001;
  }

  /** The first sync that finds the post; one in twenty is found one to four syncs later. */
  function importedAt(post: Post): number {
    const account = post.account.id;
    // A sync reads a list that is a second old, except for posts added by hand, whose effect shows at once.
    let at = sync.nextAt(account, post.shownAt + (post.isManual ? 0 : 1_000));
    const draw = unit(seed, 'late', post.id);
    const skipped = post.isManual || draw >= 0.05 ? 0 : 1 + Math.floor(draw * 80);
    for (let index = 0; index < skipped && at < Number.POSITIVE_INFINITY; index++)
      at = sync.nextAt(account, at + 1);
    return at < post.deletedAt ? at : Number.POSITIVE_INFINITY;
  }

  function importsOf(account: WorldAccountId, day: number): readonly Import[] {
    return timeline.day(account, day).posts.flatMap((post) => {
      const at = isRecorded(post) ? importedAt(post) : Number.POSITIVE_INFINITY;
      return at === Number.POSITIVE_INFINITY ? [] : [{ post, importedAt: at }];
    });
  }

  const cached = { overrides, dayOf: timeline.dayOf };
  const rowsOf = createDayCache({ ...cached, mostDays: daysKept(accounts) }, importsOf);
  const summaryOf = createDayCache<ImportSummary>({ ...cached, mostDays: SUMMARIES_KEPT }, (account, day) => {
    const rows = rowsOf(account, day);
    return {
      count: rows.length,
      firstAt: rows[0]?.post.createdAt ?? Number.POSITIVE_INFINITY,
      lastAt: rows.at(-1)?.post.createdAt ?? 0,
      lastImportedAt: rows.reduce((last, row) => Math.max(last, row.importedAt), 0),
    };
  });

  function* daysWithin(account: WorldAccountId, window: Window, at: number): Generator<number> {
    const last = timeline.dayOf(account, Math.min(at, window.endAt));
    const first = Math.max(timeline.firstDay, timeline.dayOf(account, window.startAt));
    for (let day = first; day <= last; day++) yield day;
  }

  function isIn({ post, importedAt }: Import, window: Window, at: number): boolean {
    return post.createdAt >= window.startAt && post.createdAt < window.endAt && importedAt <= at;
  }

  function within(account: WorldAccountId, window: Window, at: number): readonly Import[] {
    const found: Import[] = [];
    for (const day of daysWithin(account, window, at)) {
      for (const row of rowsOf(account, day)) if (isIn(row, window, at)) found.push(row);
    }
    return found;
  }

  function countOf(account: WorldAccountId, window: Window, at: number): number {
    let total = 0;
    for (const day of daysWithin(account, window, at)) {
      const { count, firstAt, lastAt, lastImportedAt } = summaryOf(account, day);
      if (lastImportedAt <= at && firstAt >= window.startAt && lastAt < window.endAt) total += count;
      else for (const row of rowsOf(account, day)) if (isIn(row, window, at)) total++;
    }
    return total;
  }

  return {
    countOf,
    total(event, at) {
      const forced = overrides.oracleTotals.get(event.id);
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
    imports: within,
  };
}
