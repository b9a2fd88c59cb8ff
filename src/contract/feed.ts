import { z } from 'zod';
import { countersRecord } from './records/counters.ts';
import { cryptoRecord } from './records/crypto.ts';
import { withAsOf } from './records/envelope.ts';
import { timeMs } from './records/fields.ts';
import { lagRecord } from './records/lag.ts';
import { postRecord } from './records/post.ts';
import { predictionRecord } from './records/prediction.ts';
import { signalsRecord } from './records/signals.ts';
import { velocityRecord } from './records/velocity.ts';

/** What is said over the feed, in both directions. Unknown fields and types of frames are to be ignored. */

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

/** Why the server ended a connection, beside the codes of the protocol itself. */
export const CLOSE_CODES = {
  goodbye: 1001,
  policy: 1008,
  badKey: 4001,
  tier: 4003,
  tooSlow: 4008,
  tooMany: 4029,
} as const;

const id = z
  .union([z.int(), z.string().max(64)])
  .optional()
  .meta({ description: 'Given back in the answer.' });
const channel = z.enum(CHANNEL_NAMES);
const cursor = z
  .object({ epoch: z.string().max(64), seq: z.int().min(0) })
  .meta({ description: 'The last frame the reader has seen of this channel.' });

export const channelRequest = z.object({
  channel,
  account: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Path segment of an account; without it all of them. Crypto and test have none.' }),
  resume: cursor.optional(),
  bankroll: z
    .number()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'Of signals: money to size bets from, USD.' }),
  include_unproven: z.boolean().optional().meta({ description: 'Of signals: as over REST.' }),
});

const channels = z.array(channelRequest).min(1).max(32);

export const clientMessage = z.discriminatedUnion('op', [
  z.object({ op: z.literal('auth'), id, key: z.string().min(1).max(128) }),
  z.object({
    op: z.literal('subscribe'),
    id,
    channels,
    resume: cursor
      .optional()
      .meta({ description: 'The cursor of the one channel named, instead of one inside it.' }),
  }),
  z.object({ op: z.literal('unsubscribe'), id, channels }),
  z.object({ op: z.literal('ping'), id }),
]);

const given = z.union([z.int(), z.string()]).nullable();
const epoch = z
  .string()
  .meta({ description: 'Names the numbering. While it is the same, seqs mean the same.' });
const account = z.string().nullable().meta({ description: 'Path segment, or null.' });
const place = {
  channel,
  account,
  epoch,
  seq: z.int().min(0).meta({ description: "The channel's own, without gaps, from 1 on." }),
  ts: timeMs.meta({ description: 'When the observation behind it came in, UTC ms.' }),
  cause: z.array(z.enum(FEED_CAUSES)),
};

export const updateFrame = z
  .object({
    type: z.literal('update'),
    ...place,
    prev_seq: z.int().min(0).meta({ description: 'The seq sent before to this very reader.' }),
    merged: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Frames that a slow reader was not sent, as later ones say what counts now.' }),
    key: z.string().meta({ description: 'What the record is of: an event, a post, an account.' }),
    data: z
      .looseObject({})
      .nullable()
      .meta({ description: 'The record as over REST; null when it is gone, such as a closed event.' }),
  })
  .meta({ description: 'A record changed. Always whole, never a difference.' });

export const snapshotFrame = z
  .object({
    type: z.literal('snapshot'),
    ...place,
    prev_seq: z.null(),
    data: z.array(z.looseObject({})).meta({ description: 'All records, as over REST.' }),
  })
  .meta({ description: 'Everything there is on a channel as of seq.' });

export const heartbeatFrame = z
  .object({
    type: z.literal('heartbeat'),
    channel: z.literal('heartbeat'),
    epoch,
    ts: timeMs.meta({ description: 'When the tick came in that made it, UTC ms.' }),
    seqs: z
      .record(z.string(), z.int())
      .meta({ description: 'Last seq of every channel, by `channel/account` or `channel`.' }),
    ages_ms: z
      .record(z.string(), z.number())
      .meta({ description: 'Ms since each source last answered, by `source/account` or `source`.' }),
  })
  .meta({ description: 'One second of the pipeline passed. Comes after all frames it counts.' });

const topic = z.object({ channel, account });
export const subscribedFrame = z.object({
  type: z.literal('subscribed'),
  id: given,
  epoch,
  channels: z.array(
    topic.extend({
      seq: z.int().min(0).nullable().meta({ description: 'Where the channel is; null of the heartbeat.' }),
      resumed: z
        .boolean()
        .meta({ description: 'Whether every frame missed follows, instead of a snapshot.' }),
    }),
  ),
});
export const unsubscribedFrame = z.object({
  type: z.literal('unsubscribed'),
  id: given,
  channels: z.array(topic),
});
export const authenticatedFrame = z.object({
  type: z.literal('authenticated'),
  id: given,
  tier: z.enum(['FREE', 'PRO', 'INTERNAL']),
});
export const pongFrame = z.object({
  type: z.literal('pong'),
  id: given,
  ts: timeMs,
  pipeline_ts: timeMs.meta({
    description: 'When the streams last took something in. Not sent by way of the fan-out.',
  }),
});
export const errorFrame = z.object({
  type: z.literal('error'),
  id: given,
  code: z.string(),
  detail: z.string(),
  channel: channel
    .optional()
    .meta({ description: 'What it is about: given with `cursor_too_old` and `tier_too_low`.' }),
  account: account.optional(),
  oldest_seq: z.int().optional().meta({ description: 'The oldest cursor that can be resumed from.' }),
});
export const goodbyeFrame = z.object({ type: z.literal('goodbye'), ts: timeMs, reason: z.string() });

export const serverFrame = z.discriminatedUnion('type', [
  updateFrame,
  snapshotFrame,
  heartbeatFrame,
  subscribedFrame,
  unsubscribedFrame,
  authenticatedFrame,
  pongFrame,
  errorFrame,
  goodbyeFrame,
]);

export const testRecord = z
  .object({ observation: z.int(), ts: timeMs })
  .meta({ description: 'The tick that moved the channel: its place in the log and its time.' });

/** The record of each channel that has one; predictions of a FREE caller lack what PRO has. */
export const FEED_RECORDS = {
  counters: withAsOf(countersRecord),
  tweets: withAsOf(postRecord),
  velocity: withAsOf(velocityRecord),
  prediction: withAsOf(predictionRecord),
  signals: withAsOf(signalsRecord),
  crypto: withAsOf(cryptoRecord),
  lag: withAsOf(lagRecord),
  test: testRecord,
} as const;
