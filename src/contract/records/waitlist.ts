import { z } from 'zod';

/** The place of whoever asked (spec 2.8). */
export const waitlistRecord = z
  .object({
    status: z.enum(['registered', 'already_registered']).meta({
      description: 'registered: the place was taken now; already_registered: the wallet or email had one',
      examples: ['registered'],
    }),
    position: z
      .int()
      .min(1)
      .meta({
        description: 'Place on the waitlist, from 1 on. The same wallet or email always gets its first place',
        examples: [42],
      }),
  })
  .meta({ description: 'A place on the waitlist' });
