import { firstValueFrom, timer } from 'rxjs';
import { z } from 'zod';
import type { PostFact } from '../../streams/index.ts';
import { readDecoded } from './decode.ts';
import type { AccountEndpoint, Endpoints } from './endpoints.ts';
import { oracleEnvelope } from './oracle-payload.ts';
import { postUrl } from './post-payload.ts';
import type { SourceSettings } from './settings.ts';
import type { SourceContext } from './source.ts';
import { digits, instant, wireText } from './wire-values.ts';

const archivedPosts = oracleEnvelope(
  z.array(z.object({ platformId: digits, content: wireText, createdAt: instant })),
);

const DAY_MS = 86_400_000;

export interface ArchiveSpan {
  readonly fromAt: number;
  readonly toAt: number;
  /** Posts the timeline has told already, with flags the archive does not have. */
  readonly told: ReadonlySet<string>;
}

/**
 * Delivers the oracle's own list of posts in `[fromAt, toAt)`, a slice of days at a time, newest slice first.
 * `onReached` hears how far back the posts are known after each slice that held any: an archive that does
 * not go back that far also answers with empty lists, so an empty slice proves nothing.
 */
export async function readArchive(
  account: AccountEndpoint,
  span: ArchiveSpan,
  { endpoints, settings, context, signal }: ArchiveReader,
  onReached: (fromAt: number) => void,
): Promise<void> {
  const sliceMs = settings.archiveSliceDays * DAY_MS;
  for (let toAt = span.toAt; toAt > span.fromAt; toAt -= sliceMs) {
    const fromAt = Math.max(span.fromAt, toAt - sliceMs);
    const query = new URLSearchParams({
      platform: account.platform,
      startDate: new Date(fromAt).toISOString(),
      endDate: new Date(toAt).toISOString(),
    });
    const { data } = await readDecoded(
      `${endpoints.oracle.baseUrl}/users/${encodeURIComponent(account.handle)}/posts?${query}`,
      archivedPosts,
      { headers: { 'user-agent': endpoints.userAgent }, signal, timeoutMs: settings.slowTimeoutMs },
      context,
    );
    const inSlice = data.filter(({ createdAt }) => createdAt >= fromAt && createdAt < toAt);
    const fresh = inSlice.filter(({ platformId }) => !span.told.has(platformId));
    await context.deliver(
      fresh.map((post): PostFact => {
        const { platformId: id, content: text, createdAt } = post;
        return {
          kind: 'post',
          account: account.id,
          via: 'archive',
          id,
          text,
          createdAt,
          isReply: false,
          isReplyToSelf: false,
          isQuote: false,
          isRepost: text.startsWith('RT @'),
          isFromCommunity: false,
          url: postUrl(endpoints.posts.webBase, account.handle, id),
        };
      }),
    );
    if (inSlice.length > 0) onReached(fromAt);
    await firstValueFrom(timer(settings.archivePauseMs));
  }
}

export interface ArchiveReader {
  readonly endpoints: Endpoints;
  readonly settings: SourceSettings;
  readonly context: SourceContext;
  readonly signal: AbortSignal;
}
