import * as z from 'zod';

/** Fields that several records share. Unknown is null, never 0. */

export const timeMs = z.int().meta({ description: 'UTC ms since 1970.', examples: [1_794_714_403_563] });

export const isoTime = z.iso
  .datetime()
  .meta({ description: 'ISO 8601, UTC.', examples: ['2026-11-15T03:46:43.563Z'] });

export const eventId = z
  .int()
  .meta({ description: 'Unique id of the event on the market.', examples: [130_385] });

/** How the market presents an event. */
export const eventFields = {
  event_id: eventId,
  event_title: z.string().meta({ description: 'Title of the event on the market.' }),
  event_slug: z.string().meta({ description: 'Slug of the event on the market.' }),
  image: z.string().meta({ description: 'Address of the event image on the market.' }),
};

export const origin = z.enum(['live', 'history']).meta({
  description: 'live: published at the time. history: made later from what was known at that time.',
});

export const count = z.int().nullable();

export const price = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .meta({ description: 'Price of a Yes share, 0 to 1, 4 decimals; null while unknown.', examples: [0.27] });

export const probability = z.number().min(0).max(1).meta({ description: '0 to 1, 4 decimals.' });

/** Where posts are read from. */
export const postsVia = z.enum(['timeline', 'oracle_list']);

export const input = z.enum(['posts', 'oracle', 'ui', 'prices']);
