import * as z from 'zod';
import { count, eventFields, input, postsVia, timeMs } from './fields.ts';

export const COUNTERS_EXAMPLE = {
  event_id: 130_385,
  event_title: 'Account A # posts November 13 - November 15, 2026?',
  event_slug: 'account-a-of-posts-november-13-november-15',
  image: 'https://market.example/event.png',
  start_ts: 1_794_589_200_000,
  end_ts: 1_794_762_000_000,
  market_oracle_counter: 132,
  real_counter: 133,
  market_ui_counter: 132,
  settlement_delta: 1,
  display_delta: 1,
  internal_delta: 0,
  deleted_count: 3,
  via: 'timeline' as const,
  stale: [],
  history_percent: 100,
};

/** An active event with its three counters and their differences (spec 2.2). */
export const countersRecord = z
  .object({
    ...eventFields,
    start_ts: timeMs.meta({ description: 'Start of the window, UTC ms, included.' }),
    end_ts: timeMs.meta({ description: 'End of the window, UTC ms, not included.' }),
    market_oracle_counter: count.meta({
      description: 'Count of the settlement oracle, which decides the payout. Posts; null while unknown.',
    }),
    real_counter: count.meta({
      description:
        'Our own count, faster than the oracle; it includes posts that were deleted since. Null until all posts of the window are known.',
    }),
    market_ui_counter: count.meta({
      description: "The count shown on the market's trading page. Posts; null while unknown.",
    }),
    settlement_delta: count.meta({
      description: 'real_counter minus market_oracle_counter: positive means we are ahead of the oracle.',
    }),
    display_delta: count.meta({
      description: 'real_counter minus market_ui_counter: positive means the page shows an old count.',
    }),
    internal_delta: count.meta({
      description: 'market_ui_counter minus market_oracle_counter: positive means the page is ahead.',
    }),
    deleted_count: count.meta({
      description:
        "How many deleted posts real_counter includes. Null while unknown, and when posts come from the oracle's list, which does not tell of deletions.",
    }),
    via: postsVia.nullable().meta({
      description:
        "Where real_counter comes from: `timeline`, the account's own posts, or `oracle_list`, the settlement oracle's list of them, which is minutes late. Null before the first count.",
    }),
    stale: z
      .array(input)
      .meta({ description: 'Inputs that have not answered for longer than their limit.', examples: [[]] }),
    history_percent: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .meta({
        description:
          'How much of the window was read since the first start, percent; real_counter is null below 100. Null when a part of the window cannot be read.',
        examples: [100],
      }),
  })
  .meta({
    description:
      'Counters of an active event. Null means unknown; a delta is null when either of its counters is.',
    examples: [COUNTERS_EXAMPLE],
  });
