import * as z from 'zod';
import { POST_FAULTS, type PostFact, postFault } from '../../../streams/internal.ts';
import { type AccountEndpoint, type Endpoints, oracleUserUrl } from '../endpoints.ts';
import { oracleEnvelope, plausibleSync } from '../oracle/oracle-payload.ts';
import { decodeSome, readPayload } from '../read-payload.ts';
import { anyInstant, digits, instant, wireText } from '../value-schemas.ts';
import { postUrl } from './post-payload.ts';
import type { Reading } from './reading.ts';

const listedPost = z.object({
  platformId: digits,
  content: wireText,
  createdAt: anyInstant,
  importedAt: instant.nullish(),
});
const listedPosts = oracleEnvelope(z.array(z.unknown()));
/** Ids on this platform begin with their time. */
const TIMED_PLATFORM = 'X';

const listedUser = oracleEnvelope(
  z.object({ lastSync: instant.nullish(), lastSyncError: z.string().nullish() }),
);

/** A post as the oracle keeps it: without the flags the timeline has. */
export interface ListedPost {
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
  /** When the oracle took it in; null when it does not say. */
  readonly importedAt: number | null;
}

/** The posts the oracle took in that were made in `[fromAt, toAt)`, in any order. */
export async function readList(
  account: AccountEndpoint,
  { fromAt, toAt }: { readonly fromAt: number; readonly toAt: number },
  reading: Reading,
): Promise<readonly ListedPost[]> {
  const { data } = await ask(account, '/posts', listedPosts, reading, {
    startDate: new Date(fromAt).toISOString(),
    endDate: new Date(toAt).toISOString(),
  });
  const { context } = reading;
  const { values, reasons } = decodeSome(listedPost, data, 'the list of posts holds', context);
  for (const reason of reasons) context.refused(`a listed post cannot be read: ${reason}`);
  const listed = values.map(({ platformId, content, createdAt, importedAt = null }) => ({
    id: platformId,
    text: content,
    createdAt,
    importedAt,
  }));
  return listed.filter((post) => {
    const fault = postFault(post, context.now(), account.platform === TIMED_PLATFORM);
    if (fault !== null) context.refused(`the listed post ${post.id} ${POST_FAULTS[fault]}`);
    // The oracle's bounds are both inclusive.
    return fault === null && post.createdAt >= fromAt && post.createdAt < toAt;
  });
}

/** When the oracle last read the account, UTC ms; null when it does not say, failed, or says a time to come. */
export async function readLastSync(account: AccountEndpoint, reading: Reading): Promise<number | null> {
  const { lastSync, lastSyncError } = (await ask(account, '', listedUser, reading)).data;
  return lastSyncError ? null : plausibleSync(lastSync ?? null, reading.context);
}

function ask<T>(
  account: AccountEndpoint,
  path: string,
  schema: z.ZodType<T>,
  { endpoints, settings, context, signal }: Reading,
  query: Readonly<Record<string, string>> = {},
): Promise<T> {
  const request = {
    headers: { 'user-agent': endpoints.userAgent },
    signal,
    timeoutMs: settings.slowTimeoutMs,
    pace: endpoints.oracle.pace,
  };
  const { platform } = account;
  const url = `${oracleUserUrl(account, endpoints)}${path}?${new URLSearchParams({ platform, ...query })}`;
  return readPayload(url, schema, request, context);
}

/** The oracle's list does not say what a post answers or quotes; a repost begins with `RT @`. */
export function listedFact(
  { id, text, createdAt, importedAt }: ListedPost,
  via: 'list' | 'archive',
  account: AccountEndpoint,
  endpoints: Endpoints,
): PostFact {
  return {
    kind: 'post',
    account: account.id,
    via,
    id,
    text,
    createdAt,
    isReply: null,
    isReplyToSelf: null,
    isQuote: null,
    isRepost: text.startsWith('RT @'),
    isFromCommunity: null,
    url: postUrl(account, endpoints.webBase, id),
    importedAt,
  };
}
