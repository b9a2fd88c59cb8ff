import * as z from 'zod';
import { countersRecord } from '../records/counters.ts';
import { cryptoRecord } from '../records/crypto.ts';
import { withAsOf } from '../records/envelope.ts';
import { timeMs } from '../records/fields.ts';
import { lagRecord } from '../records/lag.ts';
import { postRecord } from '../records/post.ts';
import { predictionRecord } from '../records/prediction.ts';
import { signalsRecord } from '../records/signals.ts';
import { velocityRecord } from '../records/velocity.ts';
import { CHANNEL_NAMES, FEED_CAUSES } from './names.ts';

/** The messages that the feed sends. Readers ignore unknown fields and unknown types of frames. */

const channel = z.enum(CHANNEL_NAMES);
const echoedId = z.union([z.int(), z.string()]).nullable();
const epoch = z.string().meta({ description: 'Id of the numbering. Seqs of one epoch can be compared.' });
const account = z.string().nullable().meta({ description: 'Path segment, or null.' });
const framePosition = {
  channel,
  account,
  epoch,
  seq: z.int().min(0).meta({ description: 'Number of the frame on its channel, without gaps.' }),
  ts: timeMs.meta({ description: 'When the observation behind the frame was received, UTC ms.' }),
  cause: z.array(z.enum(FEED_CAUSES)),
};

export const updateFrame = z
  .object({
    type: z.literal('update'),
    ...framePosition,
    prev_seq: z.int().min(0).meta({ description: 'The seq that this reader was sent before.' }),
    merged: z.int().min(1).optional().meta({
      description: 'How many frames a slow reader was not sent, because later frames replace them.',
    }),
    key: z.string().meta({ description: 'Id of the event, post or account that the record describes.' }),
    data: z
      .looseObject({})
      .nullable()
      .meta({ description: 'The same record as over REST; null when it is gone, such as a closed event.' }),
  })
  .meta({ description: 'A record changed. It is always the whole record, never a difference.' });

export const snapshotFrame = z
  .object({
    type: z.literal('snapshot'),
    ...framePosition,
    prev_seq: z.null(),
    events_known: z.literal(false).optional().meta({
      description:
        'Present while the events of the market are not all known, so that records of others may be missing.',
    }),
    data: z.array(z.looseObject({})).meta({ description: 'All records, the same as over REST.' }),
  })
  .meta({ description: 'All records of a channel as of seq.' });

export const heartbeatFrame = z
  .object({
    type: z.literal('heartbeat'),
    channel: z.literal('heartbeat'),
    account: z.string().optional().meta({ description: 'Path segment; absent when it is of all accounts.' }),
    epoch,
    ts: timeMs.meta({ description: 'When the tick behind the heartbeat was received, UTC ms.' }),
    seqs: z
      .record(z.string(), z.int())
      .meta({ description: 'Last seq of every channel of the tier, by `channel/account` or `channel`.' }),
    ages_ms: z.record(z.string(), z.number()).meta({
      description:
        'How old the knowledge of each source is, ms, by `source/account` or `source`: for most the time since it last answered.',
    }),
    stale: z.array(z.string()).meta({
      description:
        'Sources whose age is past their limit, by the same names. What is not listed is not stale, however quiet.',
    }),
    history_percent: z.record(z.string(), z.int().min(0).max(100)).meta({
      description:
        'By account: how much was read of the past that its active events need, percent. Below 100 a count is not known yet.',
    }),
    events_known: z.boolean().meta({
      description: 'Whether the post-count events of the market are known. If not, none does not mean none.',
    }),
  })
  .meta({ description: 'One second of the pipeline passed. It comes after all frames that it counts.' });

const topic = z.object({ channel, account });
export const subscribedFrame = z.object({
  type: z.literal('subscribed'),
  id: echoedId,
  epoch,
  channels: z.array(
    topic.extend({
      seq: z
        .int()
        .min(0)
        .nullable()
        .meta({ description: 'Last seq of the channel; null for the heartbeat.' }),
      resumed: z.boolean().meta({ description: 'Whether all missed frames follow, instead of a snapshot.' }),
    }),
  ),
});
export const unsubscribedFrame = z.object({
  type: z.literal('unsubscribed'),
  id: echoedId,
  channels: z.array(topic),
});
export const authenticatedFrame = z.object({
  type: z.literal('authenticated'),
  id: echoedId,
  tier: z.enum(['FREE', 'PRO', 'INTERNAL']),
});
export const pongFrame = z.object({
  type: z.literal('pong'),
  id: echoedId,
  ts: timeMs,
  pipeline_ts: timeMs.meta({
    description: 'When the streams last took in an observation. Pongs do not pass through the fan-out.',
  }),
});
export const errorFrame = z.object({
  type: z.literal('error'),
  id: echoedId,
  code: z.string(),
  detail: z.string(),
  channel: channel
    .optional()
    .meta({ description: 'Channel of the error; present with `cursor_too_old` and `tier_too_low`.' }),
  account: account.optional(),
  oldest_seq: z.int().optional().meta({ description: 'The oldest seq that can be resumed.' }),
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

const testRecord = z
  .object({ observation: z.int(), ts: timeMs })
  .meta({ description: 'The tick behind the frame: its sequence number in the log and its time.' });

/** The record of each channel that has one. Predictions of a FREE caller lack the PRO fields. */
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
