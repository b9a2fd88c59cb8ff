export const CHANNEL_NAMES = [
  'counters',
  'tweets',
  'velocity',
  'prediction',
  'signals',
  'crypto',
  'lag',
  'heartbeat',
  'test',
] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

/** Those whose frames have records. */
export const RECORD_CHANNELS = CHANNEL_NAMES.filter((name) => name !== 'heartbeat');

export const FEED_CAUSES = [
  'new_post',
  'post_deleted',
  'oracle',
  'ui',
  'price',
  'clock',
  'sleep_state',
  'model',
  'event_opened',
  'event_closed',
] as const;
export type FeedCause = (typeof FEED_CAUSES)[number];

/** Close codes of the server, besides those of the WebSocket protocol. */
export const CLOSE_CODES = {
  goodbye: 1001,
  policy: 1008,
  internal: 1011,
  badKey: 4001,
  tier: 4003,
  tooSlow: 4008,
  tooMany: 4029,
} as const;
