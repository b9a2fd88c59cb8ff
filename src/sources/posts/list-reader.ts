import { firstValueFrom, type Observable, timer } from 'rxjs';
import { DAY_MS, type Fact, MINUTE_MS } from '../../../streams/internal.ts';
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
/** How often the list is read while the oracle does not say whether it has read the account again. */
const UNTOLD_MS = 5 * MINUTE_MS;
/** The oracle was never seen to take in a post that was younger. */
const LISTED_AFTER_MS = 15_000;

/** A part of the list. */
export interface ListedSpan {
  readonly listed: readonly ListedPost[];
  /** `archive` for the first reading of this process, which shows nothing about lag. */
  readonly via: 'list' | 'archive';
  /** From here on the posts were known without a hole when the reading began, UTC ms. */
  readonly coveredFrom: number;
}

interface ListReaderOptions<E extends Endpoints> {
  readonly account: AccountEndpoint;
  readonly endpoints: E;
  readonly settings: SourceSettings;
  /** What a part of the list adds to the log. */
  readonly factsOf: (span: ListedSpan, reading: Reading<E>) => Promise<readonly Fact[]>;
}

/**
 * Reads the oracle's list of the account's posts: all of the history once, then the newest days each time the oracle has
 * read the account again. What it delivers is known up to the oracle's own last reading, not up to now.
 */
export function listReader<E extends Endpoints>(
  options: ListReaderOptions<E>,
): (context: SourceContext) => Observable<never> {
  const { account, endpoints, settings, factsOf } = options;
  // Kept over restarts of the source: what was read before a failure need not be read again.
  let last: { readonly at: number; readonly syncedAt: number | null } | undefined;

  async function read(reading: Reading<E>): Promise<void> {
    const { context } = reading;
    // Before the list, or a sync between the two would make the list look newer than it is.
    const syncedAt = await readLastSync(account, reading);
    const knownAt = syncedAt === null ? null : syncedAt - LISTED_AFTER_MS;
    const at = context.now();
    if (last !== undefined && (syncedAt === null ? at - last.at < UNTOLD_MS : syncedAt === last.syncedAt)) {
      return context.deliver([], knownAt);
    }
    await readBack(startOf(context, at), at, knownAt, reading);
    last = { at, syncedAt };
  }

  function startOf({ lookups }: SourceContext, now: number): number {
    const historyAt = now - settings.historyDays * DAY_MS;
    if (last !== undefined) return Math.max(historyAt, last.at - OVERLAP_MS);
    const isCovered = (lookups.coveredFrom(account.id) ?? now) <= historyAt;
    return isCovered ? Math.max(historyAt, now - LOOK_BACK_DAYS * DAY_MS) : historyAt;
  }

  /** Reads from `toAt` back to `fromAt`, a slice at a time, so that coverage grows from where it is, without a hole. */
  async function readBack(fromAt: number, toAt: number, knownAt: number | null, reading: Reading<E>) {
    const { context } = reading;
    const coveredFrom = context.lookups.coveredFrom(account.id) ?? toAt;
    const via = last === undefined ? 'archive' : 'list';
    let coveredAt = coveredFrom;
    const sliceMs = settings.listSliceDays * DAY_MS;
    for (let endAt = toAt; endAt > fromAt; endAt -= sliceMs) {
      if (endAt < toAt) await firstValueFrom(timer(settings.listPauseMs));
      const slice = { fromAt: Math.max(fromAt, endAt - sliceMs), toAt: endAt };
      const listed = await readList(account, slice, reading);
      const facts = [...(await factsOf({ listed, via, coveredFrom }, reading))];
      // A list that does not go back that far is empty there too, so an empty one proves nothing.
      if (slice.fromAt < coveredAt && listed.some(({ createdAt }) => createdAt < coveredFrom)) {
        coveredAt = slice.fromAt;
        facts.push({ kind: 'coverage', account: account.id, fromAt: coveredAt });
      }
      await context.deliver(facts, knownAt);
    }
  }

  return (context) =>
    pollInTurn({
      periodMs: settings.listPeriodMs,
      read: (signal) => read({ endpoints, settings, context, signal }),
    });
}
