import { HOUR_MS } from '../../../streams/internal.ts';
import { isoMicros, isoSeconds } from '../calendar.ts';
import type { Overrides } from '../control/overrides.ts';
import { listingOrder, type WorldEvent, type WorldMarket } from '../market/event.ts';
import type { OracleCount } from '../market/oracle-count.ts';
import type { Quotes } from '../market/quotes.ts';
import type { Settlement } from '../market/settlement.ts';
import { spotPrice, symbolOf } from '../market/spot-price.ts';
import { uiCount } from '../market/ui-count.ts';
import { cents, createMarketJson, negRiskId } from './market-json.ts';

type Json = Record<string, unknown>;

/** Events and markets as the market's own interface writes them. */
export interface EventJson {
  event(event: WorldEvent): Json;
  /** Without its markets. */
  shortEvent(event: WorldEvent): Json;
  market(event: WorldEvent, market: WorldMarket): Json;
}

export function createEventJson(options: {
  readonly now: () => number;
  readonly seed: number;
  readonly overrides: Overrides;
  readonly oracleCount: OracleCount;
  readonly settlement: Settlement;
  readonly quotes: Quotes;
}): EventJson {
  const { now, seed, overrides, oracleCount, settlement } = options;
  const fields = createMarketJson(options);

  /** Known once the window has begun. */
  function priceToBeat(event: WorldEvent): Json | null {
    const { subject } = event;
    if (subject.type !== 'crypto' || subject.kind !== 'up-down' || now() < event.startAt) return null;
    const symbol = symbolOf(subject.symbol);
    return symbol === undefined ? null : { priceToBeat: spotPrice(seed, symbol, event.startAt) };
  }

  function shortEvent(event: WorldEvent): Json {
    const phase = settlement.phase(event, now());
    const volume = cents(event.markets.reduce((sum, market) => sum + fields.volumeOf(event, market), 0));
    const isPosts = event.subject.type === 'posts';
    return {
      id: String(event.id),
      ticker: event.slug,
      slug: event.slug,
      title: event.title,
      description: event.description,
      resolutionSource: isPosts ? 'https://oracle.invalid' : '',
      startDate: isoMicros(event.listedAt),
      creationDate: isoMicros(event.listedAt - 3),
      endDate: isoSeconds(event.endAt),
      image: `https://images.invalid/${event.tag.slug}.png`,
      icon: `https://images.invalid/${event.tag.slug}.png`,
      createdAt: isoMicros(event.listedAt - 5 * 60_000),
      updatedAt: isoMicros(Math.floor(now() / 60_000) * 60_000),
      active: true,
      closed: phase.isClosed,
      ...(phase.closedAt !== null && { closedTime: isoSeconds(phase.closedAt) }),
      archived: false,
      new: now() - event.listedAt < 12 * HOUR_MS,
      featured: false,
      restricted: true,
      liquidity: phase.isClosed ? 0 : cents(event.markets.length * 5_000),
      volume,
      volume24hr: phase.isClosed ? 0 : cents(volume / 5),
      openInterest: 0,
      commentCount: 10 + (event.id % 40),
      negRisk: event.isNegRisk,
      enableNegRisk: event.isNegRisk,
      negRiskAugmented: false,
      ...(event.isNegRisk && { negRiskMarketID: negRiskId(event) }),
      ...(isPosts && { tweetCount: uiCount(overrides, oracleCount, event, now()) }),
      eventMetadata: priceToBeat(event),
      ...(event.subject.type === 'crypto' && { startTime: isoSeconds(event.startAt) }),
    };
  }

  return {
    shortEvent,
    event(event) {
      const { series } = event;
      const phase = settlement.phase(event, now());
      const shared = fields.shared(event, phase);
      return {
        ...shortEvent(event),
        ...(series !== null && { series: [seriesJson(series)], seriesSlug: series.slug }),
        tags: [{ ...event.tag, forceShow: false }],
        markets: listingOrder(event).map((market) => ({ ...fields.own(event, market, phase), ...shared })),
      };
    },
    market(event, market) {
      const phase = settlement.phase(event, now());
      return {
        ...fields.own(event, market, phase),
        ...fields.shared(event, phase),
        events: [shortEvent(event)],
      };
    },
  };
}

export function seriesJson(series: NonNullable<WorldEvent['series']>) {
  const { id, slug, title, recurrence } = series;
  return {
    id: String(id),
    ticker: slug,
    slug,
    title,
    recurrence,
    seriesType: 'single',
    active: true,
    closed: false,
  };
}
