import type { Account } from '../life/accounts.ts';
import { type Referenced, referencedBy } from '../life/post-texts.ts';
import { type Entry, entryText } from '../life/timeline.ts';

type Json = Record<string, unknown>;

/** Reposts are cut at 140 characters, other texts at 280 with the rest in `note_tweet`. */
const REPOST_LIMIT = 140;
const TEXT_LIMIT = 280;

function cut(text: string, limit: number): string {
  const characters = Array.from(text);
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}

interface Reference {
  readonly type: 'retweeted' | 'quoted' | 'replied_to';
  readonly id: string;
  /** Undefined when it is a post of the account itself. */
  readonly other: Referenced | undefined;
}

function referencesOf(entry: Entry): readonly Reference[] {
  const { post } = entry;
  const other = referencedBy(post.id, post.createdAt);
  switch (post.kind) {
    case 'original':
      return [];
    case 'selfReply':
      return [{ type: 'replied_to', id: post.parentId ?? post.id, other: undefined }];
    case 'quote':
      return [{ type: 'quoted', id: other.id, other }];
    case 'reply':
      return [{ type: 'replied_to', id: other.id, other }];
    case 'quotingReply': {
      const quoted = referencedBy(`${post.id}q`, post.createdAt);
      return [
        { type: 'replied_to', id: other.id, other },
        { type: 'quoted', id: quoted.id, other: quoted },
      ];
    }
    case 'repost':
    case 'communityRepost':
      return [{ type: 'retweeted', id: other.id, other }];
  }
}

/** A post on the wire: id, text and edit history always, the rest when asked for. */
export function postJson(entry: Entry, fields: ReadonlySet<string>, now: number): Json {
  const { post } = entry;
  const whole = entryText(entry);
  const isRepost = post.kind === 'repost' || post.kind === 'communityRepost';
  const text = cut(whole, isRepost ? REPOST_LIMIT : TEXT_LIMIT);
  const isEdited = post.edit !== null && post.edit.at <= now;
  const references = referencesOf(entry);
  const repliedTo = references.find((reference) => reference.type === 'replied_to');
  const optional: Json = {
    created_at: new Date(entry.createdAt).toISOString(),
    author_id: post.account.userId,
    conversation_id: repliedTo?.id ?? entry.id,
    in_reply_to_user_id:
      repliedTo === undefined ? undefined : (repliedTo.other?.author.id ?? post.account.userId),
    referenced_tweets: references.length === 0 ? undefined : references.map(({ type, id }) => ({ type, id })),
    note_tweet: text === whole || isRepost ? undefined : { text: whole },
    community_id: post.kind === 'communityRepost' ? '1500000000000000001' : undefined,
  };
  const asked = Object.entries(optional).filter(([name, value]) => fields.has(name) && value !== undefined);
  return {
    id: entry.id,
    text,
    edit_history_tweet_ids: isEdited && post.edit !== null ? [post.id, post.edit.id] : [entry.id],
    ...Object.fromEntries(asked),
  };
}

function authorJson(author: { readonly id: string; readonly handle: string; readonly name: string }): Json {
  return { id: author.id, name: author.name, username: author.handle };
}

export function accountJson(account: Account): Json {
  return authorJson({ id: account.userId, handle: account.handle, name: account.name });
}

export function notFoundError(parameter: string, id: string): Json {
  return {
    resource_id: id,
    resource_type: 'tweet',
    parameter,
    value: id,
    title: 'Not Found Error',
    detail: `Could not find tweet with ${parameter}: [${id}].`,
    type: 'https://posts-api.invalid/2/problems/resource-not-found',
  };
}

/** `includes` and `errors` of the posts that `entries` point at, for the expansions asked for. */
export function expand(
  entries: readonly Entry[],
  expansions: ReadonlySet<string>,
  fields: ReadonlySet<string>,
  own: (id: string) => Entry | undefined,
  now: number,
): { readonly includes: Json | undefined; readonly errors: readonly Json[] } {
  if (!expansions.has('referenced_tweets.id')) return { includes: undefined, errors: [] };
  const posts = new Map<string, Json>();
  const users = new Map<string, Json>();
  const errors: Json[] = [];
  for (const { id, other } of entries.flatMap(referencesOf)) {
    const entry = other === undefined ? own(id) : undefined;
    if (other?.isMissing || (other === undefined && entry === undefined)) {
      errors.push(notFoundError('referenced_tweets.id', id));
    } else if (entry !== undefined) {
      posts.set(id, postJson(entry, fields, now));
      users.set(entry.post.account.userId, accountJson(entry.post.account));
    } else if (other !== undefined) {
      const optional: Json = {
        created_at: new Date(other.createdAt).toISOString(),
        author_id: other.author.id,
        conversation_id: id,
      };
      const asked = Object.entries(optional).filter(([name]) => fields.has(name));
      posts.set(id, { id, text: other.text, edit_history_tweet_ids: [id], ...Object.fromEntries(asked) });
      users.set(other.author.id, authorJson(other.author));
    }
  }
  const withUsers = expansions.has('referenced_tweets.id.author_id') && users.size > 0;
  const includes = {
    ...(posts.size > 0 && { tweets: [...posts.values()] }),
    ...(withUsers && { users: [...users.values()] }),
  };
  return { includes: Object.keys(includes).length > 0 ? includes : undefined, errors };
}
