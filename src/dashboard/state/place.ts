import { HOUR_MS } from '../time-spans.ts';

/** The sections of the page, in their order; each is the `id` of its element. */
export const SECTIONS = ['now', 'forecast', 'over-time', 'trade', 'trust'] as const;
export type Section = (typeof SECTIONS)[number];

/** Hours before the close at which forecasts are scored. */
export const HORIZONS = [24, 48, 72] as const;
export type Horizon = (typeof HORIZONS)[number];

/** The horizon whose forecasts are as far from the close; the longest for those that are further. */
export function horizonAt(leftMs: number): Horizon {
  return HORIZONS.find((hours) => leftMs <= hours * HOUR_MS) ?? 72;
}

/** What the page shows, as far as its address says. */
export interface Place {
  readonly account: string | undefined;
  readonly eventId: number | undefined;
  readonly horizon: Horizon | undefined;
  readonly section: Section | undefined;
}

/** The place in an address. What nobody knows in it is ignored. */
export function readPlace(href: string): Place {
  const { searchParams, hash } = new URL(href);
  const eventId = Number.parseInt(searchParams.get('event') ?? '', 10);
  const horizon = Number(searchParams.get('horizon'));
  return {
    account: searchParams.get('account') ?? undefined,
    eventId: Number.isNaN(eventId) ? undefined : eventId,
    horizon: HORIZONS.find((each) => each === horizon),
    section: SECTIONS.find((each) => `#${each}` === hash),
  };
}

/** The same address, for another place. */
export function withPlace(href: string, { account, eventId, horizon, section }: Place): string {
  const url = new URL(href);
  const set = (name: string, value: string | number | undefined) => {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, String(value));
  };
  set('account', account);
  set('event', eventId);
  set('horizon', horizon);
  url.hash = section ?? '';
  return url.href;
}
