import { compareIds } from '../../../streams/internal.ts';
import type { Account } from '../life/accounts.ts';
import type { Entry } from '../life/timeline.ts';

/** How far back a timeline can be paged, and how far when replies are left out. */
const DEPTH = 3_200;
const DEPTH_WITHOUT_REPLIES = 800;

interface Selection {
  readonly query: URLSearchParams;
  /** Only ids below this one, from a page token. */
  readonly pageBefore: string | undefined;
  readonly size: number;
}

/** The posts a timeline request asks for. `newestFirst` is all that can be read. */
export function selectPage(
  newestFirst: Iterable<Entry>,
  { query, pageBefore, size }: Selection,
): { readonly entries: readonly Entry[]; readonly hasMore: boolean } {
  const excluded = new Set((query.get('exclude') ?? '').split(','));
  const sinceId = query.get('since_id') ?? '0';
  const untilId = query.get('until_id');
  const startTime = Date.parse(query.get('start_time') ?? '') || 0;
  const endTime = Date.parse(query.get('end_time') ?? '') || Number.POSITIVE_INFINITY;
  const depth = excluded.has('replies') ? DEPTH_WITHOUT_REPLIES : DEPTH;
  const entries: Entry[] = [];
  let walked = 0;
  for (const entry of newestFirst) {
    walked++;
    if (walked > depth || compareIds(entry.id, sinceId) <= 0 || entry.createdAt < startTime) break;
    const { kind } = entry.post;
    if (pageBefore !== undefined && compareIds(entry.id, pageBefore) >= 0) continue;
    if (untilId !== null && compareIds(entry.id, untilId) >= 0) continue;
    if (entry.createdAt >= endTime) continue;
    if (excluded.has('replies') && (kind === 'reply' || kind === 'quotingReply' || kind === 'selfReply'))
      continue;
    if (excluded.has('retweets') && (kind === 'repost' || kind === 'communityRepost')) continue;
    if (entries.length === size) return { entries, hasMore: true };
    entries.push(entry);
  }
  return { entries, hasMore: false };
}

/** An opaque page token: the account and the last id of the page before. */
export function tokenOf(account: Account, lastId: string): string {
  return Buffer.from(`${account.id}.${lastId}`).toString('base64url');
}

/** The id a page token continues below; undefined for a token of another account or a malformed one. */
export function pageOf(token: string, account: Account): string | undefined {
  const [id, lastId] = Buffer.from(token, 'base64url').toString().split('.');
  return id === account.id && lastId !== undefined && /^\d+$/.test(lastId) ? lastId : undefined;
}
