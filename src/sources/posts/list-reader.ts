import { firstValueFrom, type Observable, timer } from 'rxjs';
import { DAY_MS, type EventRecord, type Fact, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { activeEventsOf } from '../active-events.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { pollInTurn } from '../poll-in-turn.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';
import { type ListedPost, readLastSync, readList } from './oracle-list.ts';
import type { Reading } from './reading.ts';

/** The longest windows are a calendar month, with room. */
const LOOK_BACK_DAYS = 32;
/** What was made this long before the last reading is read again, as the oracle may take in a post late. */
export const OVERLAP_MS = 2 * DAY_MS;
/** How often the whole open windows are read again though nothing seems to be missing. */
const REREAD_MS = HOUR_MS;
/** The oracle's count and its list are read one after the other, so they may differ for a moment. */
const REREAD_GAP_MS = MINUTE_MS;
/** How often the list is read while the oracle does not say whether it has read the account again. */
const UNTOLD_MS = 5 * MINUTE_MS;
/** The oracle was never seen to take in a post that was younger. */
const LISTED_AFTER_MS = 13_000;

/** A part of the list. */
export interface ListedSpan {
  readonly listed: readonly ListedPost[];
  /** `archive` where the reading shows nothing about lag: the first of this process, and whole windows again. */
  readonly via: 'list' | 'archive';
  /** From here on the log has all that the timeline shows, or all that was listed before, UTC ms. */
  readonly shownFrom: number;
}

interface ListReaderOptions<E extends Endpoints> {
  readonly account: AccountEndpoint;
  readonly endpoints: E;
  readonly settings: SourceSettings;
  /** From when on the timeline was read; undefined when it was not. */
  readonly timelineFrom: (context: SourceContext) => number | undefined;
  /** What a part of the list adds to the log. */
  readonly factsOf: (span: ListedSpan, reading: Reading<E>) => Promise<readonly Fact[]>;
}

interface Span extends Pick<ListedSpan, 'via'> {
  readonly fromAt: number;
  readonly toAt: number;
}

/** When the whole open windows were last read, UTC ms, and how many posts each lacked then. */
interface WindowsReading {
  readonly at: number;
  readonly missing: string;
}

interface LastReading {
  readonly at: number;
  readonly syncedAt: number | null;
  /** How far the timeline had been read. */
  readonly timelineFrom: number | undefined;
}

/**
 * Reads the oracle's list of the account's posts: all of the history once, then the newest days each time the oracle has
 * read the account again, and the whole open windows each hour and when the oracle counts more posts there than the log
 * has of it, as a post may appear late. What it delivers is known up to the oracle's own last reading, not up to now.
 */
export function listReader<E extends Endpoints>(
  options: ListReaderOptions<E>,
): (context: SourceContext) => Observable<never> {
  const { account, endpoints, settings, timelineFrom, factsOf } = options;
  // Kept over restarts of the source: what was read before a failure need not be read again.
  let last: LastReading | undefined;
  let windowsRead: WindowsReading | undefined;

  async function read(reading: Reading<E>): Promise<void> {
    const { context } = reading;
    // After a gap in the posts the timeline reaches less far back, and all has to be read again.
    if (last !== undefined && last.timelineFrom !== timelineFrom(context)) last = undefined;
    // Before the list, or a sync between the two would make the list look newer than it is.
    const syncedAt = await readLastSync(account, reading);
    const knownAt = syncedAt === null ? null : syncedAt - LISTED_AFTER_MS;
    const at = context.now();
    const isFirst = last === undefined;
    if (
      last !== undefined &&
      (syncedAt === null ? isWithin(at - last.at, UNTOLD_MS) : syncedAt === last.syncedAt)
    ) {
      await context.deliver([], knownAt);
    } else {
      const shown = timelineFrom(context);
      const span = { fromAt: startOf(context, at), toAt: at, via: isFirst ? 'archive' : 'list' } as const;
      await readBack(span, knownAt, reading);
      last = { at, syncedAt, timelineFrom: shown };
    }
    await readWindows(isFirst, knownAt, reading);
  }

  /** Reads the whole open windows again if it is time to, or if posts are missing that were not when they were last read. */
  async function readWindows(isRead: boolean, knownAt: number | null, reading: Reading<E>) {
    const { context } = reading;
    const open = activeEventsOf(account, context.lookups);
    const missing = () => missingIn(open, context);
    const at = context.now();
    if (!isRead && windowsRead !== undefined) {
      const sinceMs = at - windowsRead.at;
      const isDue = !isWithin(sinceMs, REREAD_MS);
      const hasParted = missing() !== windowsRead.missing && missing() !== '';
      if (!isDue && !(hasParted && !isWithin(sinceMs, REREAD_GAP_MS))) return;
      const earliest = Math.min(at, ...open.map(({ startAt }) => startAt ?? at));
      const fromAt = Math.max(earliest, at - LOOK_BACK_DAYS * DAY_MS);
      await readBack({ fromAt, toAt: at, via: 'archive' }, knownAt, reading);
    }
    windowsRead = { at, missing: missing() };
  }

  function startOf({ lookups }: SourceContext, now: number): number {
    const historyAt = now - settings.historyDays * DAY_MS;
    // The clock may have been set back since.
    if (last !== undefined) return Math.max(historyAt, Math.min(last.at, now) - OVERLAP_MS);
    const isCovered = (lookups.coveredFrom(account.id) ?? now) <= historyAt;
    return isCovered ? Math.max(historyAt, now - LOOK_BACK_DAYS * DAY_MS) : historyAt;
  }

  /**
   * Reads from `toAt` back to `fromAt`, a slice at a time, so that coverage grows from where it is, without a hole. Posts
   * are known only where the list was read too: the timeline does not show those that were deleted.
   */
  async function readBack({ fromAt, toAt, via }: Span, knownAt: number | null, reading: Reading<E>) {
    const { context } = reading;
    let coveredAt = context.lookups.coveredFrom(account.id) ?? toAt;
    const shown = timelineFrom(context);
    const shownFrom = shown ?? coveredAt;
    const sliceMs = settings.listSliceDays * DAY_MS;
    for (let endAt = toAt; endAt > fromAt; endAt -= sliceMs) {
      if (endAt < toAt) await firstValueFrom(timer(settings.listPauseMs));
      const slice = { fromAt: Math.max(fromAt, endAt - sliceMs), toAt: endAt };
      const listed = await readList(account, slice, reading);
      const facts = [...(await factsOf({ listed, via, shownFrom }, reading))];
      if (timelineFrom(context) !== shown) return;
      // Behind what is shown, a list that does not go back that far is empty too, so an empty one proves nothing.
      const isProven = listed.some(({ createdAt }) => createdAt < shownFrom);
      const reachedAt = isProven ? slice.fromAt : Math.max(slice.fromAt, shownFrom);
      if (reachedAt < coveredAt) {
        coveredAt = reachedAt;
        facts.push({ kind: 'coverage', account: account.id, fromAt: coveredAt });
      }
      if (last === undefined) facts.push(archiveRead(slice.fromAt, slice.fromAt === fromAt));
      await context.deliver(facts, knownAt);
    }
  }

  function archiveRead(fromAt: number, isDone: boolean): Fact {
    return { kind: 'history', account: account.id, reading: 'archive', fromAt, isDone };
  }

  return (context) =>
    pollInTurn({
      periodMs: settings.listPeriodMs,
      read: (signal) => read({ endpoints, settings, context, signal }),
    });
}

/** A clock that was set back makes everything due. */
function isWithin(elapsedMs: number, periodMs: number): boolean {
  return elapsedMs >= 0 && elapsedMs < periodMs;
}

/** The windows in which the oracle counts more posts than the log has of it, each with their number. */
function missingIn(open: readonly EventRecord[], { lookups }: SourceContext): string {
  return open
    .flatMap(({ eventId }) => {
      const { total, known } = lookups.oracleCount(eventId) ?? { total: 0, known: 0 };
      return total > known ? [`${eventId}:${total - known}`] : [];
    })
    .join();
}
