import { DAY_MS } from '../../../streams/internal.ts';
import type { AccountEndpoint } from '../endpoints.ts';
import type { SourceContext } from '../source.ts';
import { PAGE_SIZE, REACH, type ReadTimeline } from './timeline.ts';

/**
 * Reads the timeline back over what the account posted before we knew it, and ends with the instant from
 * which on it shows every post. Interrupted, it starts over: without that last fact it is not known how far
 * it came.
 */
export async function readHistory(
  account: AccountEndpoint,
  timeline: ReadTimeline,
  context: SourceContext,
  { historyDays, signal }: { readonly historyDays: number; readonly signal: AbortSignal },
): Promise<void> {
  const historyAt = context.now() - historyDays * DAY_MS;
  let oldestAt = context.now();
  let nextToken: string | undefined;
  let pages = 0;
  do {
    const answer = await timeline({ via: 'backfill', nextToken, signal }, context);
    const facts = answer.items.map(({ fact }) => fact);
    await context.deliver(facts);
    for (const { createdAt } of facts) oldestAt = Math.min(oldestAt, createdAt);
    nextToken = answer.nextToken;
    pages += 1;
  } while (nextToken !== undefined && pages < REACH / PAGE_SIZE && oldestAt > historyAt);

  // A timeline that ends before the API's reach is the whole of it. One that ends at the reach was cut, and
  // its pages count places, not posts: places of deleted posts are counted too.
  const isCut = pages >= REACH / PAGE_SIZE && oldestAt > historyAt;
  // Times are whole seconds, so another post of the oldest second may have been cut off.
  const shownFrom = isCut ? oldestAt + 1_000 : historyAt;
  // The oracle's list may have been read further back.
  const fromAt = Math.min(shownFrom, context.lookups.coveredFrom(account.id) ?? shownFrom);
  await context.deliver([{ kind: 'coverage', account: account.id, fromAt }]);
}
