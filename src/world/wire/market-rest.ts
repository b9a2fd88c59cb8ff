import { CRYPTO_TAG, POSTS_TAG, type WorldEvent, type WorldMarket } from '../market/event.ts';
import type { ListedEvents, Place } from '../market/listed-events.ts';
import type { Settlement } from '../market/settlement.ts';
import { type Answer, type Handler, ok } from './answer.ts';
import { type EventJson, seriesJson } from './event-json.ts';
import {
  eventRank,
  filterEvents,
  keysetPage,
  ListFault,
  offsetPage,
  type Page,
  type Ranked,
  sorted,
} from './list-query.ts';

const TAGS = [POSTS_TAG, CRYPTO_TAG].map((tag) => ({ ...tag, forceShow: false }));

const notFound = (what: string): Answer => ({
  status: 404,
  body: { type: 'not found error', error: `${what} not found` },
});
const invalid = (error: string): Answer => ({ status: 422, body: { type: 'validation error', error } });

type MarketPlace = Omit<Place, 'outcome'>;

/** A page by cursor, with its rows under the name of the list. */
function keysetAnswer<T>(name: string, page: Page<T>, render: (item: T) => unknown): Answer {
  const next = page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor };
  return ok({ [name]: page.items.map(render), ...next });
}

/** The parts of a query that say which page of a list is wanted. */
const PLACE_NAMES = ['after_cursor', 'limit', 'offset'];
const SAME_LIST_MS = 2_000;

interface RecentList {
  readonly key: string;
  readonly listed: readonly WorldEvent[];
  readonly madeAt: number;
  readonly rows: readonly Ranked<WorldEvent>[];
}

export function createMarketRest(options: {
  readonly now: () => number;
  readonly listedEvents: ListedEvents;
  readonly settlement: Settlement;
  readonly wire: EventJson;
}): Handler {
  const { now, listedEvents, settlement, wire } = options;

  let recent: RecentList | undefined;

  /** Pages of one list follow each other closely, so that it is made once for all of them. */
  function rankedEvents(query: URLSearchParams): readonly Ranked<WorldEvent>[] {
    const key = new URLSearchParams([...query].filter(([name]) => !PLACE_NAMES.includes(name))).toString();
    const listed = listedEvents.listed(now());
    const isSame = recent?.key === key && recent.listed === listed;
    if (recent !== undefined && isSame && now() - recent.madeAt < SAME_LIST_MS) return recent.rows;
    const events = filterEvents(listed, query, settlement, now());
    const rows = sorted(
      events.map((item) => ({ item, id: item.id, rank: eventRank(item, query) })),
      query,
    );
    recent = { key, listed, madeAt: now(), rows };
    return rows;
  }

  function rankedMarkets(query: URLSearchParams): readonly Ranked<MarketPlace>[] {
    const ofEvent = new URLSearchParams([...query].filter(([name]) => name !== 'id' && name !== 'slug'));
    const [ids, slugs] = [query.getAll('id'), query.getAll('slug')];
    const [tokens, conditions] = [query.getAll('clob_token_ids'), query.getAll('condition_ids')];
    const isIn = (wanted: readonly string[], ...values: readonly string[]): boolean =>
      wanted.length === 0 || values.some((value) => wanted.includes(value));
    const rows = rankedEvents(ofEvent).flatMap(({ item: event, rank }) =>
      event.markets
        .filter(
          (market) =>
            isIn(ids, String(market.id)) &&
            isIn(slugs, market.slug) &&
            isIn(tokens, ...market.tokens) &&
            isIn(conditions, market.conditionId),
        )
        .map((market) => ({ item: { event, market }, id: market.id, rank })),
    );
    return sorted(rows, query);
  }

  function events(path: readonly string[], query: URLSearchParams): Answer {
    const [id, rest] = path;
    if (id === undefined) return ok(offsetPage(rankedEvents(query), query, 500).map(wire.event));
    if (id === 'keyset') {
      return keysetAnswer('events', keysetPage(rankedEvents(query), query, 500), wire.event);
    }
    if (id === 'slug') {
      if (rest === undefined || !/^[a-z0-9-]+$/.test(rest)) return invalid('slug is invalid');
      const event = listedEvents.bySlug(rest, now());
      return event === undefined ? notFound('slug') : ok(wire.event(event));
    }
    if (!/^\d+$/.test(id)) return invalid('id is invalid');
    const event = listedEvents.byId(Number(id), now());
    if (event === undefined) return notFound('id');
    return ok(rest === 'tags' ? [{ ...event.tag, forceShow: false }] : wire.event(event));
  }

  function findMarket(matches: (market: WorldMarket) => boolean): MarketPlace | undefined {
    for (const event of listedEvents.listed(now())) {
      const market = event.markets.find(matches);
      if (market !== undefined) return { event, market };
    }
    return undefined;
  }

  function markets(path: readonly string[], query: URLSearchParams): Answer {
    const [id, rest] = path;
    const render = ({ event, market }: MarketPlace) => wire.market(event, market);
    if (id === undefined) return ok(offsetPage(rankedMarkets(query), query, 500).map(render));
    if (id === 'keyset') {
      return keysetAnswer('markets', keysetPage(rankedMarkets(query), query, 100), render);
    }
    if (id === 'slug') {
      const found = findMarket((market) => market.slug === rest);
      return found === undefined ? notFound('slug') : ok(render(found));
    }
    if (!/^\d+$/.test(id)) return invalid('id is invalid');
    const found = findMarket((market) => market.id === Number(id));
    return found === undefined ? notFound('id') : ok(render(found));
  }

  function series(id: string | undefined, query: URLSearchParams): Answer {
    const bySlug = new Map<string, WorldEvent[]>();
    for (const event of listedEvents.listed(now())) {
      if (event.series !== null)
        bySlug.set(event.series.slug, [...(bySlug.get(event.series.slug) ?? []), event]);
    }
    const all = [...bySlug.values()].flatMap((members) => {
      const row = members[0]?.series ?? null;
      return row === null ? [] : [{ ...seriesJson(row), events: members.map(wire.shortEvent) }];
    });
    if (id === undefined) {
      const slugs = query.getAll('slug');
      return ok(all.filter((row) => slugs.length === 0 || slugs.includes(row.slug)));
    }
    const found = all.find((row) => row.id === id);
    return found === undefined ? notFound('id') : ok(found);
  }

  function tags(path: readonly string[]): Answer {
    const [id, slug] = path;
    if (id === undefined) return ok(TAGS);
    const found = TAGS.find((tag) => (id === 'slug' ? tag.slug === slug : tag.id === id));
    return found === undefined ? notFound(id === 'slug' ? 'slug' : 'id') : ok(found);
  }

  function search(query: URLSearchParams): Answer {
    const words = (query.get('q') ?? '').toLowerCase();
    const found = listedEvents.listed(now()).filter((event) => event.title.toLowerCase().includes(words));
    const open = found.filter((event) => !settlement.phase(event, now()).isClosed);
    const shown = open.slice(0, Number(query.get('limit_per_type') ?? 10));
    const pagination = { hasMore: shown.length < open.length, totalResults: open.length };
    return ok({ events: shown.map(wire.event), tags: [], profiles: [], pagination });
  }

  return ({ path, query }) => {
    const [collection, ...rest] = path;
    try {
      if (collection === 'events') return events(rest, query);
      if (collection === 'markets') return markets(rest, query);
      if (collection === 'series') return series(rest[0], query);
      if (collection === 'tags') return tags(rest);
      if (collection === 'public-search') return search(query);
      return notFound('path');
    } catch (error) {
      if (error instanceof ListFault) return invalid(error.message);
      throw error;
    }
  };
}
