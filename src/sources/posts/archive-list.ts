import { z } from 'zod';
import type { PostFact } from '../../../streams/internal.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { oracleEnvelope } from '../oracle/oracle-payload.ts';
import { readPayload } from '../read-payload.ts';
import { digits, instant, wireText } from '../value-schemas.ts';
import type { Reading } from './post-lookup.ts';
import { postUrl } from './post-payload.ts';

const archivedPosts = oracleEnvelope(
  z.array(z.object({ platformId: digits, content: wireText, createdAt: instant })),
);

/** A post as the oracle keeps it: without the flags the timeline has. */
export interface ListedPost {
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
}

/** The posts the oracle took in that were made in `[fromAt, toAt)`, in any order. */
export async function readArchive(
  account: AccountEndpoint,
  { fromAt, toAt }: { readonly fromAt: number; readonly toAt: number },
  { endpoints, settings, context, signal }: Reading,
): Promise<readonly ListedPost[]> {
  const query = new URLSearchParams({
    platform: account.platform,
    startDate: new Date(fromAt).toISOString(),
    endDate: new Date(toAt).toISOString(),
  });
  const { data } = await readPayload(
    `${endpoints.oracle.baseUrl}/users/${encodeURIComponent(account.handle)}/posts?${query}`,
    archivedPosts,
    { headers: { 'user-agent': endpoints.userAgent }, signal, timeoutMs: settings.slowTimeoutMs },
    context,
  );
  // The oracle's bounds are both inclusive.
  return data
    .filter(({ createdAt }) => createdAt >= fromAt && createdAt < toAt)
    .map(({ platformId, content, createdAt }) => ({ id: platformId, text: content, createdAt }));
}

export function archivedFact(post: ListedPost, account: AccountEndpoint, endpoints: Endpoints): PostFact {
  const { id, text, createdAt } = post;
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
}
