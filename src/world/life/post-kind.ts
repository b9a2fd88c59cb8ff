/** A `quotingReply` answers another account and quotes a post: it is a reply. */
export const POST_KINDS = [
  'original',
  'quote',
  'repost',
  'selfReply',
  'reply',
  'quotingReply',
  'communityRepost',
] as const;
export type PostKind = (typeof POST_KINDS)[number];

const COUNTED: ReadonlySet<PostKind> = new Set(['original', 'quote', 'repost', 'selfReply']);

/** Whether posts of this kind count toward settlement. */
export function isCounted(kind: PostKind): boolean {
  return COUNTED.has(kind);
}
