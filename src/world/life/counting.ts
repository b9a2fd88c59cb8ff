/** `quotingReply` answers somebody else and quotes at once: it is a reply. */
export type PostKind =
  | 'original'
  | 'quote'
  | 'repost'
  | 'selfReply'
  | 'reply'
  | 'quotingReply'
  | 'communityRepost';

export const POST_KINDS = [
  'original',
  'quote',
  'repost',
  'selfReply',
  'reply',
  'quotingReply',
  'communityRepost',
] as const satisfies readonly PostKind[];

const COUNTED: Readonly<Record<PostKind, boolean>> = {
  original: true,
  quote: true,
  repost: true,
  selfReply: true,
  reply: false,
  quotingReply: false,
  communityRepost: false,
};

/** Whether posts of this kind count toward settlement. */
export function isCounted(kind: PostKind): boolean {
  return COUNTED[kind];
}
