import { z } from 'zod';
import { timeMs } from './fields.ts';

const age = z.number().min(0).nullable();

export const asOfRecord = z
  .object({
    seq: z
      .int()
      .min(0)
      .meta({ description: 'Place in the log of the observation that last changed the record.' }),
    ts: timeMs.meta({ description: 'When that observation came in, UTC ms.' }),
    ages_ms: z
      .object({ posts: age, oracle: age, ui: age, prices: age })
      .meta({
        description: 'Ms since each input last answered; null: never, or not an input of this record.',
      }),
  })
  .meta({
    description: 'What the record was computed from and how old each input is.',
    examples: [
      { seq: 17_044, ts: 1_794_714_403_563, ages_ms: { posts: 439, oracle: 232, ui: 9_388, prices: 89 } },
    ],
  });

const answeredAt = timeMs.meta({ description: 'When this was answered, UTC ms.' });

/** Records with what they were computed from, in the envelope of spec 2.1. */
export function envelope<Shape extends z.core.$ZodShape>(record: z.ZodObject<Shape>) {
  return z.object({ timestamp: answeredAt, data: z.array(withAsOf(record)) });
}

export function withAsOf<Shape extends z.core.$ZodShape>(record: z.ZodObject<Shape>) {
  return record.extend({ as_of: asOfRecord });
}

/** An answer that is not about one record of the streams each. */
export function timed<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.object({ timestamp: answeredAt, ...shape });
}
