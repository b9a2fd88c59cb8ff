import { LRUCache } from 'lru-cache';
import {
  concat,
  defer,
  filter,
  firstValueFrom,
  ignoreElements,
  type Observable,
  repeat,
  takeUntil,
  takeWhile,
  timer,
} from 'rxjs';
import { compareIds, DAY_MS, type Fact } from '../../../streams/internal.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { pollInTurn, runOnce } from '../poll-in-turn.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source, SourceContext } from '../source.ts';
import { archivedFact, type ListedPost, readArchive } from './archive-list.ts';
import { isTimelineRead } from './history.ts';
import { lookUpPosts, type Reading } from './post-lookup.ts';
import { timelineOf } from './timeline.ts';

const TIMELINE_LOOK_MS = 250;
/** The longest windows are a calendar month, with room. */
const LOOK_BACK_DAYS = 32;
const NEWEST_DAYS = 2;
/** How long live polls are given to read what is new, in their periods. */
const POLLS_AWAITED = 30;

/**
 * The oracle's own list of the account's posts. It holds posts that were made and deleted between two polls,
 * and those behind the timeline's reach; of all others the timeline knows more.
 */
export function archiveSource(
  account: AccountEndpoint,
  endpoints: Endpoints,
  settings: SourceSettings,
): Source {
  const timeline = timelineOf(account, endpoints, settings);
  // The oracle may list a post under the id of an edit. Kept over restarts, so that it is looked up once.
  const firstIds = new LRUCache<string, string>({ max: 1_000 });

  function unknownOf(listed: readonly ListedPost[], { lookups }: SourceContext): readonly ListedPost[] {
    return listed.filter(({ id }) => !lookups.hasPost(firstIds.peek(id) ?? id));
  }

  // Live polls go on after the newest post that is known: while the timeline has posts they did not read
  // yet, no newer one may become known here, or those would be skipped. What stays newer is left out.
  async function settled(listed: readonly ListedPost[], { context, signal }: Reading) {
    const { lookups } = context;
    for (let turn = 0; ; turn++) {
      const sinceId = lookups.newestPostId(account.id);
      const unknown = unknownOf(listed, context);
      const older = unknown.filter(({ id }) => sinceId !== undefined && compareIds(id, sinceId) <= 0);
      if (older.length === unknown.length || turn === POLLS_AWAITED) return older;
      const { items } = await timeline({ via: 'poll', sinceId, signal }, context);
      if (items.every(({ fact }) => lookups.hasPost(fact.id))) return unknownOf(listed, context);
      await firstValueFrom(timer(settings.postsPeriodMs));
    }
  }

  /** Inside the timeline's span: a post it does not show was deleted, was missed, or was edited under another id. */
  async function traced(listed: readonly ListedPost[], reading: Reading): Promise<readonly Fact[]> {
    const unknown = await settled(listed, reading);
    const ids = unknown.map(({ id }) => id);
    const { found, missing } = await lookUpPosts(ids, account, reading);
    for (const [id, fact] of found) firstIds.set(id, fact.id);
    const gone = unknown.filter(({ id }) => missing.has(id));
    return [
      ...found.values(),
      ...gone.flatMap((post): readonly Fact[] => [
        archivedFact(post, account, endpoints),
        { kind: 'post_gone', account: account.id, id: post.id },
      ]),
    ];
  }

  /**
   * Reads from now back to `fromAt`, a slice at a time, so that coverage grows without a hole. Posts are known
   * only where this list was read too: the timeline does not show those that were deleted.
   */
  async function readBack(
    fromAt: number,
    reading: Reading,
    progress: (fromAt: number, isDone: boolean) => readonly Fact[] = () => [],
  ): Promise<void> {
    const { context } = reading;
    const { lookups } = context;
    const now = context.now();
    let coveredAt = lookups.coveredFrom(account.id) ?? now;
    const timelineFrom = lookups.timelineFrom(account.id);
    const tracedAt = timelineFrom ?? coveredAt;
    const sliceMs = settings.archiveSliceDays * DAY_MS;
    for (let toAt = now; toAt > fromAt; toAt -= sliceMs) {
      if (toAt < now) await firstValueFrom(timer(settings.archivePauseMs));
      const slice = { fromAt: Math.max(fromAt, toAt - sliceMs), toAt };
      const listed = await readArchive(account, slice, reading);
      const older = listed.filter(({ createdAt }) => createdAt < tracedAt);
      const facts: Fact[] = [
        ...(await traced(
          listed.filter(({ createdAt }) => createdAt >= tracedAt),
          reading,
        )),
        ...unknownOf(older, context).map((post) => archivedFact(post, account, endpoints)),
      ];
      // Behind the timeline, an archive that does not go back that far also answers with empty lists, so those
      // prove nothing.
      if (lookups.timelineFrom(account.id) !== timelineFrom) return;
      const reachedAt = older.length > 0 ? slice.fromAt : Math.max(slice.fromAt, tracedAt);
      if (reachedAt < coveredAt) {
        coveredAt = reachedAt;
        facts.push({ kind: 'coverage', account: account.id, fromAt: coveredAt });
      }
      await context.deliver([...facts, ...progress(slice.fromAt, slice.fromAt === fromAt)]);
    }
  }

  function archiveRead(fromAt: number, isDone: boolean): readonly Fact[] {
    return [{ kind: 'history', account: account.id, reading: 'archive', fromAt, isDone }];
  }

  function readAtStart(reading: Reading): Promise<void> {
    const { lookups, now } = reading.context;
    const historyAt = now() - settings.historyDays * DAY_MS;
    const isCovered = (lookups.coveredFrom(account.id) ?? now()) <= historyAt;
    const fromAt = isCovered ? Math.max(historyAt, now() - LOOK_BACK_DAYS * DAY_MS) : historyAt;
    return readBack(fromAt, reading, archiveRead);
  }

  function readNewest(reading: Reading): Promise<void> {
    const days = Math.min(NEWEST_DAYS, settings.historyDays);
    return readBack(reading.context.now() - days * DAY_MS, reading);
  }

  /** Ends once the timeline was read. */
  function timelineReading(context: SourceContext): Observable<never> {
    return timer(0, TIMELINE_LOOK_MS).pipe(
      takeWhile(() => !isTimelineRead(context, account)),
      ignoreElements(),
    );
  }

  function readings(context: SourceContext): Observable<never> {
    const { lookups } = context;
    const reading = (signal: AbortSignal): Reading => ({ endpoints, settings, context, signal });
    const readFor = lookups.timelineFrom(account.id);
    // After a gap in the posts the timeline reaches less far back, and all has to be read again.
    const isOutdated = timer(TIMELINE_LOOK_MS, TIMELINE_LOOK_MS).pipe(
      filter(() => lookups.timelineFrom(account.id) !== readFor),
    );
    return concat(
      runOnce((signal) => readAtStart(reading(signal))),
      timer(settings.archivePeriodMs).pipe(ignoreElements()),
      pollInTurn({ periodMs: settings.archivePeriodMs, read: (signal) => readNewest(reading(signal)) }),
    ).pipe(takeUntil(isOutdated));
  }

  return {
    name: `archive:${account.id}`,
    // Idle but for a moment each period; a request that hangs is ended by its own limit.
    silentAfterMs: 2 * settings.archivePeriodMs,
    run: (context) => concat(timelineReading(context), defer(() => readings(context)).pipe(repeat())),
  };
}
