import { DAY_MS } from '../../../streams/internal.ts';
import type { Overrides } from '../control/overrides.ts';
import { accountOf } from '../life/accounts.ts';
import { tile } from './buckets.ts';
import { createCryptoEvents } from './crypto-events.ts';
import { manualPostsEvent, postsEvent, type WorldEvent, type WorldMarket } from './event.ts';
import { listedAtOf, rangeTexts, SERIES, type Series, windowIndexAt } from './event-series.ts';

/** How far settled events reach back before the world's start. */
const SETTLED_DAYS = 100;

export interface Place {
  readonly event: WorldEvent;
  readonly market: WorldMarket;
  /** 0 for Yes or Up. */
  readonly outcome: 0 | 1;
}

/** Every event the market has listed, overrides applied. */
export interface ListedEvents {
  listed(now: number): readonly WorldEvent[];
  byId(id: number, now: number): WorldEvent | undefined;
  bySlug(slug: string, now: number): WorldEvent | undefined;
  byToken(token: string, now: number): Place | undefined;
}

interface Listing {
  readonly builtAt: number;
  readonly revision: number;
  readonly events: readonly WorldEvent[];
  readonly byId: ReadonlyMap<number, WorldEvent>;
  readonly bySlug: ReadonlyMap<string, WorldEvent>;
  /** By token; made at the first lookup. */
  places: ReadonlyMap<string, Place> | undefined;
}

/** Windows, texts and ids are the same in every world, so every world of a process shares them. */
const sharedEvents = new Map<Series, Map<number, WorldEvent>>(SERIES.map((series) => [series, new Map()]));

function sharedEvent(series: Series, index: number): WorldEvent {
  const found = sharedEvents.get(series)?.get(index);
  if (found !== undefined) return found;
  const event = postsEvent(series, index);
  sharedEvents.get(series)?.set(index, event);
  return event;
}

function placesOf(events: readonly WorldEvent[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const event of events) {
    for (const market of event.markets) {
      places.set(market.tokens[0], { event, market, outcome: 0 });
      places.set(market.tokens[1], { event, market, outcome: 1 });
    }
  }
  return places;
}

export function createListedEvents(options: {
  readonly seed: number;
  readonly startAt: number;
  readonly overrides: Overrides;
}): ListedEvents {
  const { seed, startAt, overrides } = options;
  const crypto = createCryptoEvents(seed);
  let listing: Listing | undefined;

  function eventsOf(series: Series, now: number): readonly WorldEvent[] {
    const events: WorldEvent[] = [];
    const first = windowIndexAt(series, startAt - SETTLED_DAYS * DAY_MS);
    for (let index = first; listedAtOf(series, index) <= now; index++) {
      events.push(sharedEvent(series, index));
    }
    return events;
  }

  function withOverrides(event: WorldEvent): WorldEvent {
    const window = overrides.windows.get(event.id);
    if (window === undefined) return event;
    const { subject } = event;
    const description =
      subject.type === 'posts' ? rangeTexts(subject.account, window).description : event.description;
    return { ...event, ...window, description };
  }

  function build(now: number): Listing {
    const events = [
      ...SERIES.flatMap((series) => eventsOf(series, now)),
      ...overrides.events.map((event) =>
        manualPostsEvent(
          event,
          accountOf(event.account),
          tile(event.bucketWidth, [[event.bucketWidth, event.bucketCount - 2]], 'from-zero'),
        ),
      ),
      ...crypto.listed(now),
    ].map(withOverrides);
    return {
      builtAt: now,
      revision: overrides.revision,
      events,
      byId: new Map(events.map((event) => [event.id, event])),
      bySlug: new Map(events.map((event) => [event.slug, event])),
      places: undefined,
    };
  }

  function at(now: number): Listing {
    // Series listings fall on any ms, crypto ones on the hour: a rebuild each minute shows both soon enough.
    const isFresh =
      listing !== undefined &&
      listing.revision === overrides.revision &&
      Math.floor(listing.builtAt / 60_000) === Math.floor(now / 60_000);
    if (listing === undefined || !isFresh) listing = build(now);
    return listing;
  }

  return {
    listed: (now) => at(now).events,
    byId: (id, now) => at(now).byId.get(id),
    bySlug: (slug, now) => at(now).bySlug.get(slug),
    byToken(token, now) {
      const current = at(now);
      current.places ??= placesOf(current.events);
      return current.places.get(token);
    },
  };
}

export function isActive(event: WorldEvent, now: number): boolean {
  return event.startAt <= now && now < event.endAt;
}
