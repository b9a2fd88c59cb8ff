import type { Post } from '../../../streams/internal.ts';
import { includes, type Tier } from '../../access/tiers.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { postRecord } from '../../contract/records/post.ts';

/** A post under the names of spec 2.3. Whether it counts is for paying callers. */
export function postToWire(post: Post, tier: Tier): RecordOf<typeof postRecord> {
  return {
    tweet_id: post.id,
    text: post.text,
    created_ts: post.createdAt,
    is_reply: post.isReply,
    is_quote: post.isQuote,
    is_retweet: post.isRepost,
    is_counted: includes(tier, 'PRO') ? post.isCounted : null,
    seen_ts: post.seenAt,
    deleted_ts: post.deletedAt,
    url: post.url,
  };
}
