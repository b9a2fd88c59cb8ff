import * as z from 'zod';

/** How often an account posts. */
export const velocityRecord = z
  .object({
    account: z.string().meta({ description: 'Path segment of the account.', examples: ['account_a'] }),
    velocity_counted_1h: z
      .number()
      .nullable()
      .meta({ description: 'Counted posts of the last hour; null when some may not be known.' }),
    velocity_all_1h: z.number().nullable().meta({
      description:
        "All posts of the last hour; null when some may not be known, as when posts come from the oracle's list, which holds only counted ones.",
    }),
  })
  .meta({
    description: 'Posts of the last hour.',
    examples: [{ account: 'account_a', velocity_counted_1h: 3, velocity_all_1h: 8 }],
  });
