import * as z from 'zod';
import { eventFields, timeMs } from './fields.ts';

/** Every error except 422 (spec 7). */
export const errorRecord = z
  .object({
    detail: z.string().meta({ description: 'What is wrong, for people. The wording may change.' }),
    code: z.string().meta({ description: 'What is wrong, for programs. Stable.', examples: ['not_found'] }),
  })
  .meta({ description: 'An error.', examples: [{ detail: 'Not Found', code: 'not_found' }] });

/** A path of an account that is not followed. */
export const accountUnknownRecord = errorRecord
  .extend({
    accounts: z.array(z.string()).optional().meta({
      description:
        'Path segments of the accounts that have such a path. Absent when the account is followed, and only lacks it.',
    }),
  })
  .meta({
    description: 'There is no such account, or it lacks this endpoint.',
    examples: [
      {
        detail: 'There is no such account, only account_a, account_b',
        code: 'account_unknown',
        accounts: ['account_a', 'account_b'],
      },
    ],
  });

/** A path of an event that is not known, or of an account that is not followed. */
export const eventUnknownRecord = accountUnknownRecord
  .extend({
    events: z
      .array(
        z.object({
          event_id: eventFields.event_id,
          event_title: eventFields.event_title,
          start_ts: timeMs
            .nullable()
            .meta({ description: 'Start of the window, UTC ms; null while unknown.' }),
          end_ts: timeMs.meta({ description: 'End of the window, UTC ms, not included.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'Events of the account, those that end last first, up to 100. Absent when the account is unknown.',
      }),
  })
  .meta({
    description: 'There is no such event of the account, or no such account.',
    examples: [
      {
        detail: 'The account has no such event',
        code: 'event_unknown',
        events: [
          {
            event_id: 130_385,
            event_title: 'Account A # posts November 10 - November 17, 2026?',
            start_ts: 1_794_326_400_000,
            end_ts: 1_794_931_200_000,
          },
        ],
      },
    ],
  });

const ACCEPTS_EXAMPLE = {
  scheme: 'exact',
  network: 'base-sepolia',
  maxAmountRequired: '10000',
  resource: 'http://127.0.0.1:8080/api/v1/signals/account_a',
  payTo: '0xda00da00da00da00da00da00da00da00da00da00',
  asset: '0xde00de00de00de00de00de00de00de00de00de00',
  maxTimeoutSeconds: 300,
};

/** A refusal for lack of a key or a valid payment. While payments are on it says how to pay for this one call. */
export const unpaidRecord = errorRecord
  .extend({
    reason: z
      .string()
      .optional()
      .meta({ description: 'What is wrong with the payment, as a code of the payment protocol.' }),
    x402Version: z.int().optional().meta({ description: 'Version of the payment protocol in accepts.' }),
    accepts: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .meta({ description: 'Ways to pay for this one call. PAYMENT-REQUIRED has them in version 2.' }),
  })
  .meta({
    description: 'A key or a payment is missing or was not accepted.',
    examples: [
      {
        detail: 'This needs a key of tier PRO',
        code: 'key_missing',
        x402Version: 1,
        accepts: [ACCEPTS_EXAMPLE],
      },
    ],
  });

/** Too many requests; the figures are also in the headers. */
export const rateLimitedRecord = errorRecord
  .extend({
    limit: z.int().optional().meta({ description: 'Requests allowed in any hour.' }),
    remaining: z.int().optional().meta({ description: 'Requests left.' }),
    reset: z.int().optional().meta({
      description: 'When more requests are allowed, Unix seconds as in X-RateLimit-Reset.',
    }),
    reset_ts: z.int().optional().meta({ description: 'When more requests are allowed, UTC ms.' }),
    retry_after: z.int().meta({ description: 'Seconds until then, as in Retry-After.' }),
    retry_after_ms: z.int().meta({ description: 'Milliseconds until then.' }),
  })
  .meta({
    description:
      'The hourly limit is used up, or too many unknown keys or refused payments came from the address.',
    examples: [
      {
        detail:
          'The limit of 100 requests an hour is reached; a PRO key, sent as the header X-API-Key, has 10000 an hour',
        code: 'rate_limited',
        limit: 100,
        remaining: 0,
        reset: 1_794_714_460,
        reset_ts: 1_794_714_459_310,
        retry_after: 52,
        retry_after_ms: 51_860,
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
