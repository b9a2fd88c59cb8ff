import * as z from 'zod';

/** The place of an applicant (spec 2.8). */
export const waitlistRecord = z
  .object({
    status: z.enum(['registered', 'already_registered']).meta({
      description:
        'registered: the place is new; already_registered: the wallet or email already had a place',
      examples: ['registered'],
    }),
    position: z
      .int()
      .min(1)
      .meta({
        description: 'Place on the waitlist, from 1 on. A wallet or email keeps its first place',
        examples: [42],
      }),
  })
  .meta({ description: 'A place on the waitlist' });
