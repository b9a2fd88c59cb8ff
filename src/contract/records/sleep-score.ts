import * as z from 'zod';

/** How good the published sleep probability of an account is. */
export const sleepScoreRecord = z
  .object({
    account: z.string().meta({ description: 'Path segment of the account.' }),
    n: z.int().min(0).meta({ description: 'Hours scored.' }),
    brier: z.number().nullable().meta({
      description:
        'Mean squared distance of sleep_probability, as published once an hour, from whether that instant lay in a silence of 4 h or more; lower is better. Null before the first hour is scored.',
    }),
    baseline_brier: z.number().nullable().meta({
      description:
        'The same for the share of these hours asleep, as a constant probability. That share is known only afterwards, and the score is 0 while the account slept in none of them.',
    }),
  })
  .meta({ description: 'How good the sleep probability of an account is.' });
