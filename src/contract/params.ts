import * as z from 'zod';
import { boundedString } from './bounded-string.ts';

/**
 * What callers may send: one schema for each set of query parameters (spec 4), and the body of the waitlist. Faults
 * are listed in the order of the fields.
 */

const wallet = z.string().meta({
  description: 'Address of the wallet: 0x and 40 hexadecimal characters. Any other form is answered 400.',
  examples: ['0x00000000000000000000000000000000000000a1'],
});
const bankroll = z.number().min(1).max(1_000_000);

/** The last instant that a Date can be, in UTC ms. */
const LAST_INSTANT = 8_640_000_000_000_000;

/** UTC ms, or a date and time of ISO 8601, which is UTC unless it has an offset. The value is in UTC ms. */
const instant = z
  .union([z.int().min(0).max(LAST_INSTANT), z.iso.datetime({ offset: true, local: true }), z.iso.date()])
  .transform((value) => (typeof value === 'number' ? value : utcMs(value)));

function utcMs(text: string): number {
  const isWithoutOffset = text.includes('T') && !/(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  return Date.parse(isWithoutOffset ? `${text}Z` : text);
}

const asOf = instant.optional().meta({
  description:
    'An instant of the past, in UTC ms or ISO 8601: the answer is the one of that time, from what was stored by then. Needs a key of tier PRO. An instant that is no longer kept, or lies in the future, is answered 422.',
  examples: [1_794_714_403_563],
});

/** For an endpoint without parameters. */
export const noQuery = z.object({});

/** The server takes no other values than the segments of its accounts, which the documents list. */
const account = z
  .string()
  .optional()
  .meta({
    description: 'Path segment of an account: the answer is about this account alone.',
    examples: ['account_a'],
  });

export const accountQuery = z.object({ account });

export const pastQuery = z.object({ as_of: asOf });

export const tweetsQuery = z.object({
  limit: z
    .int()
    .min(1)
    .max(100)
    .default(15)
    .meta({ description: 'Posts per page. A FREE caller always gets 15.', examples: [15] }),
  offset: z
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'Posts to skip, newest first. Ignored for a FREE caller.', examples: [0] }),
  as_of: asOf,
});

export const signalsQuery = z.object({
  bankroll: bankroll.optional().meta({
    description: 'Bankroll to size bets for, USD. Without it the default of the server is used.',
    examples: [1_000],
  }),
  only_with_signals: z
    .boolean()
    .default(false)
    .meta({ description: 'Omits events with neither a BUY nor a SELL.', examples: [false] }),
  include_unproven: z
    .boolean()
    .default(true)
    .meta({
      description:
        'Whether to give actions, at half the size, where settled events have not yet shown that the model is better than the market. If false they are SKIP.',
      examples: [true],
    }),
  as_of: asOf,
});

export const portfolioQuery = z.object({
  wallet,
  bankroll: bankroll.optional().meta({
    description: 'Bankroll to size positions for, USD. Without it there is no sizing.',
    examples: [1_000],
  }),
});

export const walletQuery = z.object({ wallet });

export const rebalancingQuery = z.object({
  wallet,
  bankroll: bankroll.meta({ description: 'Bankroll to size positions for, USD.', examples: [1_000] }),
  threshold: z
    .number()
    .min(1)
    .max(100)
    .default(5)
    .meta({ description: 'Smallest adjustment to list, USD.', examples: [5] }),
});

export const historyQuery = z.object({
  horizon: z
    .literal([24, 48, 72])
    .default(24)
    .meta({ type: 'integer', description: 'Hours before the close of the event.', examples: [24] }),
  days: z
    .int()
    .min(1)
    .default(30)
    .meta({ description: 'How many days to look back from now.', examples: [30] }),
  account,
});

/** History of an event by the minute. */
export const minutesQuery = z.object({
  from: instant.optional().meta({
    description: 'The first instant, in UTC ms or ISO 8601. Without it the start of the window.',
    examples: ['2026-11-15T00:00:00Z'],
  }),
  to: instant.optional().meta({
    description: 'Until when, not included, in UTC ms or ISO 8601; after from. Without it the present.',
    examples: ['2026-11-16T00:00:00Z'],
  }),
  step: z
    .int()
    .min(60)
    .max(86_400)
    .multipleOf(60)
    .default(60)
    .meta({
      description:
        'Seconds, a multiple of 60: of each span of this length, in UTC, the last minute is given.',
      examples: [300],
    }),
  bucket: z
    .string()
    .optional()
    .meta({
      description: 'Label of a bucket: the answer is about this bucket alone.',
      examples: ['140-159'],
    }),
});

export const usageSummaryQuery = z.object({
  days: z
    .int()
    .min(1)
    .max(90)
    .default(7)
    .meta({ description: 'How many days to look back from now.', examples: [7] }),
});

export const usageByEndpointQuery = z
  .object({
    start: z.int().meta({
      description: 'Start of the period, Unix seconds.',
      examples: [1_790_000_000],
    }),
    end: z.int().meta({
      description: 'End of the period, Unix seconds, not included; not before start.',
      examples: [1_790_086_400],
    }),
  })
  .refine(({ start, end }) => end >= start, { path: ['end'], error: 'end must not be before start' });

export const usageErrorsQuery = z.object({
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .default(100)
    .meta({ description: 'How many of the newest errors to list.', examples: [100] }),
});

/** A rule of the calling key. */
export const alertQuery = z.object({
  id: z.string().meta({ description: 'Id of the rule.', examples: ['k3Jd82Pq'] }),
});

export const deadAlertsQuery = z.object({
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .default(100)
    .meta({ description: 'How many of the newest alerts to list.', examples: [100] }),
});

export const feedQuery = z.object({
  channels: z
    .string()
    .min(1)
    .max(1_000)
    .meta({
      description: 'For an event stream: channels with or without an account, separated by commas.',
      examples: ['counters/account_a,tweets,heartbeat'],
    }),
  bankroll: bankroll
    .optional()
    .meta({ description: 'For signals: bankroll to size bets for, USD.', examples: [1_000] }),
  include_unproven: z
    .boolean()
    .default(true)
    .meta({
      description:
        'For signals: whether to give actions at horizons where the model is not shown to be better than the market.',
      examples: [true],
    }),
});

/** Fields that each type of applicant must send besides its case. */
const REQUIRED = { agent: ['name', 'wallet'], human: ['email'] } as const;

/**
 * A request for a place on the waitlist (spec 2.8): an agent must send a name and a wallet, a human an e-mail address.
 * A null is the same as an absent field.
 */
export const waitlistBody = z
  .object({
    type: z.enum(['agent', 'human']).meta({ description: 'Who applies.', examples: ['agent'] }),
    case: boundedString(500).meta({
      description: 'What the applicant wants to use the service for.',
      examples: ['Trading weekly post-count markets'],
    }),
    name: boundedString(50, /^[a-zA-Z0-9 _-]+$/)
      .nullish()
      .meta({ description: 'Name of the agent. Required for an agent.', examples: ['count-bot_1'] }),
    wallet: boundedString(42, /^0x[a-fA-F0-9]{40}$/)
      .nullish()
      .meta({
        description: 'Address of the wallet. Required for an agent.',
        examples: ['0x00000000000000000000000000000000000000a1'],
      }),
    email: boundedString(150, /^[^@\s]+@[^@\s]+\.[^@\s]+$/)
      .nullish()
      .meta({ description: 'E-mail address. Required for a human.', examples: ['someone@example.org'] }),
  })
  // Zod runs this only when every field is valid by itself.
  .superRefine((body, ctx) => {
    for (const name of REQUIRED[body.type]) {
      if (body[name] !== undefined && body[name] !== null) continue;
      ctx.addIssue({ code: 'custom', path: [name], params: { type: 'missing' } });
    }
  })
  .meta({
    description: 'A request for a place on the waitlist.',
    // The same check as JSON Schema.
    anyOf: Object.entries(REQUIRED).map(([type, names]) => ({
      properties: {
        type: { const: type },
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      },
      required: names,
    })),
  });
