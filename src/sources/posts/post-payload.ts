import * as z from 'zod';
import { HOUR_MS, type PostFact, postFault, timeOfId } from '../../../streams/internal.ts';
import type { AccountEndpoint, IdentifiedAccount } from '../endpoints.ts';
import { decodeEach } from '../read-payload.ts';
import { anyInstant, count, digits, wireText } from '../value-schemas.ts';

/** What the posts API sends. Its fields are being renamed, so both names of each are read. */

const note = z.object({ text: wireText }).nullish();
const includedPost = z.object({
  id: digits,
  text: wireText,
  author_id: digits.nullish(),
  community_id: z.string().nullish(),
  note_tweet: note,
  note_post: note,
});

const references = z.array(z.object({ type: z.string(), id: digits })).nullish();
const history = z.array(digits).nullish();
const timelinePost = includedPost.extend({
  created_at: anyInstant,
  in_reply_to_user_id: digits.nullish(),
  referenced_tweets: references,
  referenced_posts: references,
  edit_history_tweet_ids: history,
  edit_history_post_ids: history,
});

// The posts that others refer to only add to what those say, so an odd one is left out.
const included = z
  .array(includedPost.nullable().catch(null))
  .transform((posts) => posts.filter((post) => post !== null))
  .nullish();

const wholePosts = z.object({
  // Each is decoded by itself: an odd one must not cost the others, nor keep the account from being read.
  data: z.array(z.unknown()).nullish(),
  includes: z.object({ tweets: included, posts: included }).nullish(),
});
type WholePosts = z.infer<typeof wholePosts>;

/** An answer with posts, and the posts that they refer to. */
export interface SomePosts {
  readonly data?: readonly unknown[] | null | undefined;
  readonly includes?:
    | {
        readonly tweets?: readonly unknown[] | null | undefined;
        readonly posts?: readonly unknown[] | null | undefined;
      }
    | null
    | undefined;
}

/** One page of a timeline, newest first. `data` is absent when nothing matches; `errors` may stand beside it. */
export const timelinePage = wholePosts.extend({
  meta: z.object({ result_count: count, next_token: z.string().min(1).max(1_000).nullish() }),
});
type TimelinePost = z.infer<typeof timelinePost>;
type IncludedPost = z.infer<typeof includedPost>;

const problems = z
  .array(
    z.object({
      resource_id: z.string().nullish(),
      value: z.string().nullish(),
      type: z.string().nullish(),
    }),
  )
  .nullish();

/** The answer to a lookup by ids: those not found are named in `errors`. */
const lookupShape = z.object({ data: z.array(z.object({ id: digits })).nullish(), errors: problems });
export type LookupAnswer = z.infer<typeof lookupShape>;

const hasContent = ({ data, errors }: SomePosts & Pick<LookupAnswer, 'errors'>) => Boolean(data ?? errors);
export const lookupAnswer = lookupShape.refine(hasContent, 'neither data nor errors');
/** The same with every field that a timeline has of each post. */
export const wholeLookupAnswer = wholePosts
  .extend({ errors: problems })
  .refine(hasContent, 'neither data nor errors');

/** A fact of a timeline, with the id of the version that was shown and when that was made (UTC ms). */
export interface TimelineItem {
  readonly fact: PostFact;
  readonly versionId: string;
  readonly versionAt: number;
}

/** Why a post cannot be as the API shows it at `now`, or null. */
export function itemFault({ fact, versionId, versionAt }: TimelineItem, now: number) {
  const edits = (fact.editIds ?? []).map((id) => ({ id, createdAt: timeOfId(id) ?? versionAt }));
  for (const version of [fact, { id: versionId, createdAt: versionAt }, ...edits]) {
    const fault = postFault(version, now);
    if (fault !== null) return fault;
  }
  return null;
}

interface TimelineItems {
  /** In the page's order. */
  readonly items: readonly TimelineItem[];
  /** Posts of another account. */
  readonly strangers: number;
  /** Why posts were refused that cannot be read. */
  readonly reasons: readonly string[];
}

/** The account's posts of a page. */
export function timelineItems(
  page: WholePosts,
  account: IdentifiedAccount,
  { via, webBase }: { readonly via: PostFact['via']; readonly webBase: string },
): TimelineItems {
  const { values, reasons } = decodeEach(timelinePost, page.data ?? []);
  const posts = values.filter(({ author_id }) => author_id == null || author_id === account.userId);
  const others = [...(page.includes?.tweets ?? []), ...(page.includes?.posts ?? [])];
  const includedById = new Map(others.map((post) => [post.id, post]));
  const items = posts.map((post): TimelineItem => {
    const edits = post.edit_history_tweet_ids ?? post.edit_history_post_ids ?? [];
    const id = edits[0] ?? post.id;
    return {
      versionId: post.id,
      versionAt: post.created_at,
      fact: {
        kind: 'post',
        account: account.id,
        via,
        id,
        createdAt: id === post.id ? post.created_at : firstCreatedAt(id, post.created_at),
        url: postUrl(account, webBase, id),
        ...readPost(post, includedById, account.userId),
        ...(edits.length > 1 && { editIds: edits.slice(1) }),
      },
    };
  });
  return { items, strangers: values.length - posts.length, reasons };
}

const EDITABLE_MS = HOUR_MS;

// An edit carries the time of the edit, but the post counts where it was first made: an id begins with its
// time. Times on the wire are whole seconds. An id that is no such time leaves the edit's own.
function firstCreatedAt(firstId: string, editedAt: number): number {
  const firstAt = Math.floor((timeOfId(firstId) ?? editedAt) / 1_000) * 1_000;
  return firstAt <= editedAt && firstAt > editedAt - EDITABLE_MS ? firstAt : editedAt;
}

export function postUrl({ handle, postPage }: AccountEndpoint, webBase: string, id: string): string {
  return postPage?.replace('{id}', id) ?? `${webBase}/${handle}/status/${id}`;
}

function readPost(post: TimelinePost, includedById: ReadonlyMap<string, IncludedPost>, userId: string) {
  const references = post.referenced_tweets ?? post.referenced_posts ?? [];
  const find = (type: string) => references.find((reference) => reference.type === type);
  const reposted = find('retweeted');
  const repostedPost = reposted === undefined ? undefined : includedById.get(reposted.id);
  const answered = find('replied_to');
  const isReply = answered !== undefined || post.in_reply_to_user_id != null;
  // The API leaves the answered user out when the answered post is gone from its own answer.
  const answeredUser = post.in_reply_to_user_id ?? includedById.get(answered?.id ?? '')?.author_id;
  return {
    // A repost's own text is cut at about 140 characters.
    text: noteOf(post) ?? (repostedPost && (noteOf(repostedPost) ?? repostedPost.text)) ?? post.text,
    isReply,
    isReplyToSelf: isReply && answeredUser === userId,
    isQuote: find('quoted') !== undefined,
    isRepost: reposted !== undefined,
    isFromCommunity: Boolean(post.community_id) || Boolean(repostedPost?.community_id),
  };
}

function noteOf(post: IncludedPost): string | undefined {
  return post.note_tweet?.text ?? post.note_post?.text;
}
