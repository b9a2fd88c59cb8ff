import { z } from 'zod';

/** Every error but 422 (spec 7). */
export const errorRecord = z
  .object({
    detail: z.string().meta({ description: 'What is wrong, for people. The wording may change.' }),
    code: z.string().meta({ description: 'What is wrong, for programs. Stable.', examples: ['not_found'] }),
  })
  .meta({ description: 'An error.', examples: [{ detail: 'Not Found', code: 'not_found' }] });

/** Too many requests, with the figures of the headers once more. */
export const rateLimitedRecord = errorRecord
  .extend({
    limit: z.int().optional().meta({ description: 'Requests allowed in any hour.' }),
    remaining: z.int().optional().meta({ description: 'Requests left.' }),
    reset: z.int().optional().meta({ description: 'When there is more again, Unix seconds.' }),
    retry_after: z.int().meta({ description: 'Seconds until then.' }),
  })
  .meta({
    description: 'The hour is used up, or too many unknown keys came from the address.',
    examples: [
      {
        detail: 'The limit of 100 requests an hour is reached',
        code: 'rate_limited',
        limit: 100,
        remaining: 0,
        reset: 1_794_714_460,
        retry_after: 52,
      },
    ],
  });

const FAULT_EXAMPLE = {
  loc: ['query', 'limit'],
  msg: 'Input should be greater than or equal to 1',
  type: 'greater_than_equal',
};

export const faultRecord = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).meta({
      description: 'Where: query or body, then the name, or the offset at which a body stops being JSON.',
    }),
    msg: z.string().meta({ description: 'What is wrong, for people.' }),
    type: z.string().meta({ description: 'What is wrong, for programs.', examples: ['greater_than_equal'] }),
  })
  .meta({ description: 'One fault of a request.', examples: [FAULT_EXAMPLE] });

/** All faults of a request at once (spec 7). */
export const faultsRecord = z.object({ detail: z.array(faultRecord).min(1) }).meta({
  description: 'Every fault of the parameters or the body, in the order of their declaration.',
  examples: [{ detail: [FAULT_EXAMPLE] }],
});
