import * as z from 'zod';
import { DAY_MS, TOLERANCE_MS, type TrackingFact } from '../../../streams/internal.ts';
import type { SourceContext } from '../source.ts';
import { count, instant, slug, wireText } from '../value-schemas.ts';

/** The oracle wraps every answer; a failure is also sent with status 200. */
export function oracleEnvelope<T>(data: z.ZodType<T>) {
  return z.object({ success: z.literal(true), data });
}

/** The longest windows are a calendar month. */
export const LONGEST_WINDOW_MS = 366 * DAY_MS;
/** The platform lets an account make no more posts a day. */
const MOST_A_DAY = 2_400;

/** Whether a window may have had so many posts. */
export function isPlausibleCount(
  count: number,
  { startAt, endAt }: { readonly startAt: number; readonly endAt: number },
): boolean {
  return count <= MOST_A_DAY * (1 + (endAt - startAt) / DAY_MS);
}

/** The time of the oracle's last reading, or null, which is told, when it is ahead of our clock. */
export function plausibleSync(
  syncedAt: number | null,
  { now, refused }: Pick<SourceContext, 'now' | 'refused'>,
): number | null {
  if (syncedAt === null || syncedAt <= now() + TOLERANCE_MS) return syncedAt;
  refused('the oracle says that it last read the account at a time ahead of our clock');
  return null;
}

export const listedTracking = z
  .object({
    id: z.string().regex(/^[\w-]{1,100}$/),
    title: wireText,
    startDate: instant,
    endDate: instant,
    marketLink: z.string().nullish(),
  })
  .refine(({ startDate, endDate }) => startDate < endDate, 'a window that ends before it starts')
  .refine(
    ({ startDate, endDate }) => endDate - startDate <= LONGEST_WINDOW_MS,
    'a window of more than a year',
  );

/** Each window is decoded by itself. */
export const trackingList = oracleEnvelope(z.array(z.unknown()));

/** A window with its count. `lastSync` is when the oracle last read the account. */
export const trackingTotal = oracleEnvelope(
  z.object({
    id: z.string(),
    stats: z.object({ total: count }),
    user: z.object({ lastSync: instant.nullish() }).nullish(),
  }),
);

export function trackingFact(account: string, wire: z.infer<typeof listedTracking>): TrackingFact {
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
