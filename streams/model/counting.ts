/** What kind of post it is; null where that is not known. */
export interface PostKind {
  readonly isReply: boolean | null;
  readonly isReplyToSelf: boolean | null;
  readonly isQuote: boolean | null;
  readonly isRepost: boolean;
  readonly isFromCommunity: boolean | null;
}

/** Which kinds of post count toward settlement. */
export interface CountingRule {
  readonly originals: boolean;
  readonly quotes: boolean;
  readonly reposts: boolean;
  readonly selfReplies: boolean;
  readonly otherReplies: boolean;
  readonly communityReposts: boolean;
}

/** Most markets count everything except replies to others and reposts from a community. */
export const USUAL_RULE: CountingRule = {
  originals: true,
  quotes: true,
  reposts: true,
  selfReplies: true,
  otherReplies: false,
  communityReposts: false,
};

/** Whether a post of a known kind counts toward settlement. A quote inside a reply is a reply. */
export function isCounted(post: PostKind, rule: CountingRule): boolean {
  if (post.isReply) return post.isReplyToSelf ? rule.selfReplies : rule.otherReplies;
  if (post.isRepost) return post.isFromCommunity ? rule.communityReposts : rule.reposts;
  return post.isQuote ? rule.quotes : rule.originals;
}
