import type { AccountId, CryptoKind, Subject } from '../../../streams/internal.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import type { EventSketch } from './market-payload.ts';

/** The account or the price an event is about; null when we follow neither. */
type SubjectOf = (event: EventSketch) => Subject | null;

export function createSubjects({ accounts, crypto }: Pick<Endpoints, 'accounts' | 'crypto'>): SubjectOf {
  const accountOf = createAccountIndex(accounts);
  return (event) => {
    const slug = event.slug ?? '';
    const account = accountOf([event.seriesSlug, ...event.series.map((one) => one.slug)], slug);
    if (account !== undefined) return { type: 'posts', account };
    for (const { symbol, slugNames } of crypto.symbols) {
      const kind = slugNames.map((name) => cryptoKind(slug, name)).find((found) => found !== null);
      if (kind != null) {
        return { type: 'crypto', symbol, kind, referencePrice: event.eventMetadata?.priceToBeat ?? null };
      }
    }
    return null;
  };
}

/**
 * The first account of the list that has one of the series, or a prefix of the slug. It is found by a few look-ups,
 * however many accounts there are: as many as the series, and as prefixes have different lengths.
 */
function createAccountIndex(accounts: readonly AccountEndpoint[]) {
  const bySeries = new Map<string, number>();
  const byPrefix = new Map<string, number>();
  const put = (index: Map<string, number>, name: string, place: number) => {
    if (!index.has(name)) index.set(name, place);
  };
  for (const [place, { seriesSlugs, slugPrefixes }] of accounts.entries()) {
    for (const series of seriesSlugs) put(bySeries, series, place);
    for (const prefix of slugPrefixes) put(byPrefix, prefix, place);
  }
  const lengths = [...new Set(Array.from(byPrefix.keys(), ({ length }) => length))];
  return (series: readonly (string | null | undefined)[], slug: string): AccountId | undefined => {
    const places = [
      ...series.map((one) => bySeries.get(one ?? '')),
      ...lengths.map((length) => byPrefix.get(slug.slice(0, length))),
    ];
    const first = Math.min(...places.filter((place) => place !== undefined));
    return accounts[first]?.id;
  };
}

function cryptoKind(slug: string, name: string): CryptoKind | null {
  if (slug.startsWith(`${name}-updown-`) || slug.startsWith(`${name}-up-or-down-`)) return 'UP_DOWN';
  if (slug.startsWith(`${name}-above-`)) return 'LADDER';
  if (slug.startsWith(`${name}-price-on-`)) return 'RANGE';
  return slug.startsWith(`what-price-will-${name}-hit-`) ? 'TOUCH' : null;
}
