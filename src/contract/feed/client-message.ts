import * as z from 'zod';
import { CHANNEL_NAMES } from './names.ts';

/** The messages that readers of the feed send. */

const id = z
  .union([z.int(), z.string().max(64)])
  .optional()
  .meta({ description: 'Returned in the answer.' });
const channel = z.enum(CHANNEL_NAMES);
const cursor = z
  .object({ epoch: z.string().max(64), seq: z.int().min(0) })
  .meta({ description: 'The last frame of this channel that the reader received.' });

export const channelRequest = z.object({
  channel,
  account: z.string().max(64).optional().meta({
    description:
      'Path segment of an account; without it all accounts. crypto and test have none. The heartbeat of an account leaves out all others.',
  }),
  resume: cursor.optional(),
  bankroll: z
    .number()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'For signals: bankroll to size bets for, USD.' }),
  include_unproven: z.boolean().optional().meta({ description: 'For signals: the same as over REST.' }),
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
      .meta({ description: 'Cursor of the only channel in the message, instead of a cursor inside it.' }),
  }),
  z.object({ op: z.literal('unsubscribe'), id, channels }),
  z.object({ op: z.literal('ping'), id }),
]);
