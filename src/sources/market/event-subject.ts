import type { CryptoKind, Subject } from '../../../streams/internal.ts';
import type { Endpoints } from '../endpoints.ts';
import type { EventSketch } from './market-payload.ts';

/** The account or the price an event is about; null when we follow neither. */
export function subjectOf(event: EventSketch, endpoints: Endpoints): Subject | null {
  const series = [event.seriesSlug, ...event.series.map((one) => one.slug)];
  const slug = event.slug ?? '';
  for (const { id, seriesSlugs, slugPrefixes } of endpoints.accounts) {
    const isOfSeries = seriesSlugs.some((one) => series.includes(one));
    if (isOfSeries || slugPrefixes.some((prefix) => slug.startsWith(prefix))) {
      return { type: 'posts', account: id };
    }
  }
  for (const { symbol, slugNames } of endpoints.crypto.symbols) {
    const kind = slugNames.map((name) => cryptoKind(slug, name)).find((found) => found !== null);
    if (kind != null) {
      return { type: 'crypto', symbol, kind, referencePrice: event.eventMetadata?.priceToBeat ?? null };
    }
  }
  return null;
}

function cryptoKind(slug: string, name: string): CryptoKind | null {
  if (slug.startsWith(`${name}-updown-`) || slug.startsWith(`${name}-up-or-down-`)) return 'UP_DOWN';
  if (slug.startsWith(`${name}-above-`)) return 'LADDER';
  if (slug.startsWith(`${name}-price-on-`)) return 'RANGE';
  return slug.startsWith(`what-price-will-${name}-hit-`) ? 'TOUCH' : null;
}
