import { z } from 'zod';
import type { TrackingFact } from '../../../streams/internal.ts';
import { count, instant, slug, wireText } from '../value-schemas.ts';

/** The oracle wraps every answer; a failure is also sent with status 200. */
export function oracleEnvelope<T>(data: z.ZodType<T>) {
  return z.object({ success: z.literal(true), data });
}

const tracking = z
  .object({
    id: z.string().regex(/^[\w-]{1,100}$/),
    title: wireText,
    startDate: instant,
    endDate: instant,
    marketLink: z.string().nullish(),
  })
  .refine(({ startDate, endDate }) => startDate < endDate, 'a window that ends before it starts');

export const trackingList = oracleEnvelope(z.array(tracking));

/** A window with its count. `lastSync` is when the oracle last read the account. */
export const trackingTotal = oracleEnvelope(
  z.object({
    id: z.string(),
    stats: z.object({ total: count }),
    user: z.object({ lastSync: instant.nullish() }).nullish(),
  }),
);

export function trackingFact(account: string, wire: z.infer<typeof tracking>): TrackingFact {
  return {
    kind: 'tracking',
    account,
    trackingId: wire.id,
    slug: slugOfLink(wire.marketLink ?? ''),
    title: wire.title.trim(),
    startAt: wire.startDate,
    endAt: wire.endDate,
  };
}

/** The last path segment of a market's address; null when there is none that could be a slug. */
export function slugOfLink(link: string): string | null {
  const path = link.replace(/^[a-z]+:\/\/[^/]*/i, '').split(/[?#]/)[0] ?? '';
  const last = path.split('/').filter(Boolean).at(-1);
  return slug.safeParse(last).success && last !== undefined ? last : null;
}
