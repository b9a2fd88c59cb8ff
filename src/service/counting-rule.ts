import type { CountingRule } from '../../streams/internal.ts';

/** What settlement counts, by default for every account: all but replies to others and community reposts. */
export const MAIN_FEED: CountingRule = {
  originals: true,
  quotes: true,
  reposts: true,
  selfReplies: true,
  otherReplies: false,
  communityReposts: false,
};
