import * as z from 'zod';
import { PAID_FIELDS } from '../account.ts';
import { eventFields, timeMs } from './fields.ts';

const { event_id, event_title, event_slug } = eventFields;

/** An active event of an account, for callers who look for what there is. */
export const accountEventRecord = z
  .object({
    event_id,
    event_title,
    event_slug,
    start_ts: timeMs.meta({ description: 'Start of the window, UTC ms, included.' }),
    end_ts: timeMs.meta({ description: 'End of the window, UTC ms, not included.' }),
  })
  .meta({
    description: 'An active event of an account.',
    examples: [
      {
        event_id: 130_385,
        event_title: 'Account A # posts November 13 - November 15, 2026?',
        event_slug: 'account-a-of-posts-november-13-november-15',
        start_ts: 1_794_589_200_000,
        end_ts: 1_794_762_000_000,
      },
    ],
  });

/** An account that the service follows. */
export const accountRecord = z
  .object({
    account: z.string().meta({ description: 'Its name in paths and on the feed.', examples: ['account_a'] }),
    name: z.string().meta({ description: 'Its name for people.', examples: ['Account A'] }),
    velocity: z
      .boolean()
      .meta({ description: 'Whether PRO predictions include the posts of the last hour.' }),
    sizing: z.boolean().meta({ description: 'Whether its portfolio takes a bankroll.' }),
    rebalancing: z.boolean().meta({ description: 'Whether it has portfolio/{account}/rebalancing.' }),
    buy_only: z.boolean().meta({ description: 'Whether its signals never say SELL.', examples: [false] }),
    free_fields: z.array(z.enum(PAID_FIELDS)).meta({
      description: 'PRO fields of its predictions and their buckets that FREE sees as well.',
      examples: [[]],
    }),
    active_events: z.array(accountEventRecord).nullable().meta({
      description:
        'Its active events, the one that ends first first; null while it is not known which are active.',
    }),
  })
  .meta({ description: 'An account that is followed.' });
