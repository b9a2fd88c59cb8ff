import { DAY_MS, type HistoryFact } from '../../../streams/internal.ts';
import { SourceError } from '../../errors.ts';
import type { AccountEndpoint } from '../endpoints.ts';
import type { SourceContext } from '../source.ts';
import { PAGE_SIZE, REACH, type ReadTimeline } from './timeline.ts';

/**
 * Reads the timeline back over what the account posted before we knew it, and returns the instant from which
 * on it shows every post. Interrupted, it starts over, and so it does while nothing of a page is plausible, as when our
 * clock is behind: the posts would not be read again otherwise.
 */
export async function readHistory(
  account: AccountEndpoint,
  timeline: ReadTimeline,
  context: SourceContext,
  { historyDays, signal }: { readonly historyDays: number; readonly signal: AbortSignal },
): Promise<number> {
  const historyAt = context.now() - historyDays * DAY_MS;
  let oldestAt = context.now();
  let nextToken: string | undefined;
  let pages = 0;
  do {
    const answer = await timeline({ via: 'backfill', nextToken, signal }, context);
    if (answer.items.length === 0 && answer.refused > 0) {
      throw new SourceError('SOURCE_REFUSED', 'no post of a page of the timeline can be as it says');
    }
    const facts = answer.items.map(({ fact }) => fact);
    for (const { createdAt } of facts) oldestAt = Math.min(oldestAt, createdAt);
    await context.deliver([...facts, timelineRead(account, oldestAt, false)]);
    nextToken = answer.nextToken;
    pages += 1;
  } while (nextToken !== undefined && pages < REACH / PAGE_SIZE && oldestAt > historyAt);

  // A timeline that ends before the API's reach is the whole of it. One that ends at the reach was cut, and
  // its pages count places, not posts: places of deleted posts are counted too.
  const isCut = pages >= REACH / PAGE_SIZE && oldestAt > historyAt;
  return isCut ? afterCut(oldestAt) : historyAt;
}

/** Times are whole seconds, so another post of the oldest second may have been cut off. */
export function afterCut(oldestAt: number): number {
  return oldestAt + 1_000;
}

export function timelineRead({ id }: AccountEndpoint, fromAt: number, isDone: boolean): HistoryFact {
  return { kind: 'history', account: id, reading: 'timeline', fromAt, isDone };
}

/**
 * Logs of earlier versions say only from when on the posts are known. One that was filled by the oracle's list alone has
 * no post of the timeline.
 */
export function isTimelineRead({ lookups }: SourceContext, { id }: AccountEndpoint): boolean {
  if (lookups.timelineFrom(id) !== undefined) return true;
  return lookups.coveredFrom(id) !== undefined && lookups.newestOnTimeline(id) !== undefined;
}
