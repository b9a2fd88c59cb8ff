import { SourceError } from '../errors.ts';
import { type ArchiveReader, readArchive } from './archive.ts';
import type { AccountEndpoint } from './endpoints.ts';
import { PAGE_SIZE, REACH, type ReadTimeline } from './timeline.ts';

const DAY_MS = 86_400_000;

/**
 * Reads back what the account posted before we knew it, the timeline first and then, where that was cut
 * off, the oracle's archive. Ends with the instant from which on no post is missing. Interrupted, it is
 * started over: until that last fact nothing says how far it came.
 */
export async function readHistory(
  account: AccountEndpoint,
  timeline: ReadTimeline,
  reader: ArchiveReader,
): Promise<void> {
  const { context, settings, signal } = reader;
  const historyAt = context.now() - settings.historyDays * DAY_MS;
  const told = new Set<string>();
  let oldestAt = context.now();
  let nextToken: string | undefined;
  let pages = 0;
  do {
    const answer = await timeline({ via: 'backfill', nextToken, signal }, context);
    const facts = answer.items.map(({ fact }) => fact);
    await context.deliver(facts);
    for (const { id, createdAt } of facts) {
      told.add(id);
      oldestAt = Math.min(oldestAt, createdAt);
    }
    nextToken = answer.nextToken;
    pages += 1;
  } while (nextToken !== undefined && pages < REACH / PAGE_SIZE && oldestAt > historyAt);

  // A timeline that ends before the API's reach is the whole of it. One that ends at the reach was cut, and
  // its pages count places, not posts: places of deleted posts are counted too.
  const isWhole = pages < REACH / PAGE_SIZE;
  let coveredAt = historyAt;
  if (!isWhole && oldestAt > historyAt) {
    // Times are whole seconds, so another post of the oldest second may have been cut off.
    coveredAt = oldestAt + 1_000;
    const span = { fromAt: historyAt, toAt: coveredAt, told };
    await readArchive(account, span, reader, (fromAt) => {
      coveredAt = fromAt;
    }).catch((error: unknown) => {
      // Whatever the archive did not give is left outside the coverage; the live posts matter more. An
      // abort also arrives here, and must not be taken for an archive's end.
      if (!(error instanceof SourceError) || signal.aborted) throw error;
    });
  }
  await context.deliver([{ kind: 'coverage', account: account.id, fromAt: coveredAt }]);
}
