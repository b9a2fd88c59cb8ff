interface PostKind {
  readonly isReply: boolean;
  readonly isReplyToSelf: boolean;
  readonly isQuote: boolean;
  readonly isRepost: boolean;
  readonly isFromCommunity: boolean;
}

interface CountedKinds {
  readonly originals: boolean;
  readonly quotes: boolean;
  readonly reposts: boolean;
  readonly selfReplies: boolean;
  readonly otherReplies: boolean;
  readonly communityReposts: boolean;
}

/** Whether a post counts toward settlement. A quote inside a reply is a reply. */
export function isCounted(post: PostKind, counts: CountedKinds): boolean {
  if (post.isReply) return post.isReplyToSelf ? counts.selfReplies : counts.otherReplies;
  if (post.isRepost) return post.isFromCommunity ? counts.communityReposts : counts.reposts;
  return post.isQuote ? counts.quotes : counts.originals;
}
