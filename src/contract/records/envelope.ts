import * as z from 'zod';
import { timeMs } from './fields.ts';

const age = z.number().min(0).nullable().meta({ description: 'Ms since the input last answered, or null.' });

export const AS_OF_EXAMPLE = {
  seq: 17_044,
  ts: 1_794_714_403_563,
  ages_ms: { posts: 439, oracle: 232, ui: 9_388, prices: 89 },
};

export const asOfRecord = z
  .object({
    seq: z
      .int()
      .min(0)
      .meta({ description: 'Sequence number in the log of the observation that last changed the record.' }),
    ts: timeMs.meta({ description: 'When that observation was received, UTC ms.' }),
    ages_ms: z
      .object({
        posts: age,
        oracle: age,
        ui: age,
        prices: age,
        events: age.optional().meta({ description: 'Crypto records: the list of events.' }),
        crypto: age.optional().meta({ description: 'Crypto records: the spot prices.' }),
      })
      .meta({
        description:
          'Ms since each input last answered; null when it never did, or is not an input of this record.',
      }),
  })
  .meta({
    description: 'The observation behind the record, and how old each input is.',
    examples: [AS_OF_EXAMPLE],
  });

/** A record with the observation behind it. */
export function withAsOf<Shape extends z.core.$ZodShape>(record: z.ZodObject<Shape>) {
  const { description, examples } = record.meta() ?? {};
  return record.extend({ as_of: asOfRecord }).meta({
    ...(description === undefined ? {} : { description }),
    ...(Array.isArray(examples)
      ? { examples: examples.map((example) => ({ ...example, as_of: AS_OF_EXAMPLE })) }
      : {}),
  });
}

/** An answer with its time, in the envelope of spec 2.1. */
export function timed<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.object({ timestamp: timeMs.meta({ description: 'When this was answered, UTC ms.' }), ...shape });
}
