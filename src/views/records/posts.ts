import type { Post } from '../../../streams/internal.ts';
import { includes, type Tier } from '../../access/tiers.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { postRecord } from '../../contract/records/post.ts';
import { digestOf } from '../../resilience/digest.ts';
import type { AccountPath } from '../account-path.ts';
import { openRecord } from '../as-of.ts';
import type { Latest, OutputOf } from '../latest.ts';
import type { PostList } from '../post-list.ts';
import type { RecordView } from '../record-view.ts';

/** An account's posts, newest first: GET /meta/{account}/tweets and the channel `tweets`. */
export interface PostsView extends RecordView {
  posts(latest: Latest): PostList;
  /** The text of a post, without ages, as of one output. The feed sends each change, even after a later one. */
  renderPost(post: OutputOf<'posts'>, tier: Tier): string;
  /** Differs whenever a tier sees any difference, apart from `as_of`. */
  digest(post: Post, tier: Tier): string;
}

export function postsView({ id }: AccountPath): PostsView {
  // A changed post is a new output, so a cached text is never outdated.
  const texts = {
    FREE: new WeakMap<OutputOf<'posts'>, string>(),
    PRO: new WeakMap<OutputOf<'posts'>, string>(),
  };

  function renderPost(post: OutputOf<'posts'>, tier: Tier): string {
    const made = texts[includes(tier, 'PRO') ? 'PRO' : 'FREE'];
    const text = made.get(post) ?? openRecord(postToWire(post.record, tier), post);
    made.set(post, text);
    return text;
  }

  return {
    audiences: 'tier',
    listsStale: false,
    hasAsOf: true,
    movedBy: { posts: ({ key, record }) => (record.account === id ? [key] : undefined) },
    keys: (latest) => Array.from(latest.posts(id).entries(), ({ key }) => key),
    render({ latest }, key, { tier }) {
      const post = latest.get('posts', key);
      return post?.record.account === id ? () => renderPost(post, tier) : undefined;
    },
    posts: (latest) => latest.posts(id),
    renderPost,
    digest: (post, tier) => digestOf(postToWire(post, tier)),
  };
}

/** A post (spec 2.3). Only PRO sees whether it counts. */
function postToWire(post: Post, tier: Tier): RecordOf<typeof postRecord> {
  const isPaid = includes(tier, 'PRO');
  return {
    tweet_id: post.id,
    text: post.text,
    created_ts: post.createdAt,
    is_reply: post.isReply,
    is_quote: post.isQuote,
    is_retweet: post.isRepost,
    is_counted: isPaid ? post.isCounted : null,
    seen_ts: post.seenAt,
    deleted_ts: post.deletedAt,
    url: post.url,
    via: post.via,
    // The oracle takes in only what counts.
    oracle_ts: isPaid ? post.oracleAt : null,
  };
}
