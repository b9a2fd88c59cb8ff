import { DAY_MS, HOUR_MS, isoMicros, isoSeconds } from './calendar.ts';
import { listingOrder, type WorldEvent, type WorldMarket } from './event.ts';
import type { Lifecycle, Phase } from './lifecycle.ts';
import type { Quotes } from './quotes.ts';
import { unit } from './rng.ts';
import { spotPrice, symbolOf } from './spot.ts';
import type { Steering } from './steering.ts';
import type { Tally } from './tally.ts';
import { uiCount } from './ui-counter.ts';

type Json = Record<string, unknown>;

/** Events and markets as the market's own interface writes them. */
export interface MarketWire {
  event(event: WorldEvent): Json;
  /** Without its markets. */
  shortEvent(event: WorldEvent): Json;
  market(event: WorldEvent, market: WorldMarket): Json;
}

/** No price is shown in the first minutes after a listing. */
const UNPRICED_MS = 10 * 60_000;

/** `2025-12-01 15:46:34+00`: how markets, unlike events, write the moment they closed. */
export function closedTimeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}+00`;
}

const cents = (value: number): number => Math.round(value * 100) / 100;

export function createMarketWire(options: {
  readonly now: () => number;
  readonly seed: number;
  readonly steering: Steering;
  readonly tally: Tally;
  readonly lifecycle: Lifecycle;
  readonly quotes: Quotes;
}): MarketWire {
  const { now, seed, steering, tally, lifecycle, quotes } = options;

  /** Money traded so far, in USD: grows from the listing to the close. */
  function volumeOf(event: WorldEvent, market: WorldMarket): number {
    const days = Math.max(0, Math.min(now(), event.endAt) - event.listedAt) / DAY_MS;
    return cents(days * (500 + 60_000 * unit(seed, 'volume', market.id) ** 3));
  }

  function prices(event: WorldEvent, market: WorldMarket, phase: Phase): Json {
    if (phase.isClosed) {
      const won = lifecycle.won(event, market, now());
      return {
        outcomePrices: JSON.stringify(won ? ['1', '0'] : ['0', '1']),
        lastTradePrice: won ? 1 : 0.001,
      };
    }
    if (now() - event.listedAt < UNPRICED_MS) return {};
    const { bids, asks, last } = quotes.quote(event, market, now());
    const bid = bids[0]?.price;
    const ask = asks[0]?.price;
    // Twice the mid, in thousandths, keeps the half steps exact: finer than the tick, as on the wire.
    const twiceMid = (bid ?? 0) + (ask ?? 1000);
    return {
      outcomePrices: JSON.stringify([String(twiceMid / 2000), String((2000 - twiceMid) / 2000)]),
      ...(bid !== undefined && { bestBid: bid / 1000 }),
      ...(ask !== undefined && { bestAsk: ask / 1000 }),
      ...(last !== null && { lastTradePrice: last / 1000 }),
      ...(bid !== undefined && ask !== undefined && { spread: (ask - bid) / 1000 }),
    };
  }

  function resolution(phase: Phase): Json {
    if (phase.resolution === 'none') return { umaResolutionStatuses: '[]' };
    const statuses = phase.resolution === 'resolved' ? ['proposed', 'resolved'] : ['proposed'];
    return { umaResolutionStatus: phase.resolution, umaResolutionStatuses: JSON.stringify(statuses) };
  }

  /** What all markets of an event share. */
  function sharedFields(event: WorldEvent, phase: Phase): Json {
    const endDate = isoSeconds(event.endAt);
    const startDate = isoMicros(event.listedAt);
    const { subject } = event;
    return {
      endDate,
      endDateIso: endDate.slice(0, 10),
      startDate,
      startDateIso: startDate.slice(0, 10),
      createdAt: isoMicros(event.listedAt - 5 * 60_000),
      updatedAt: isoMicros(Math.floor(now() / 60_000) * 60_000),
      active: true,
      closed: phase.isClosed,
      ...(phase.closedAt !== null && { closedTime: closedTimeText(phase.closedAt) }),
      archived: false,
      acceptingOrders: !phase.isClosed,
      enableOrderBook: true,
      orderMinSize: 5,
      negRisk: event.isNegRisk,
      negRiskMarketID: event.isNegRisk ? negRiskId(event) : '',
      negRiskOther: false,
      umaBond: '500',
      umaReward: '5',
      resolvedBy: '',
      ...resolution(phase),
      ...(subject.type === 'crypto' &&
        subject.kind === 'up-down' && { eventStartTime: isoSeconds(event.startAt) }),
      ...(subject.type === 'crypto' && { feesEnabled: true, feeType: 'crypto_fees' }),
    };
  }

  function marketFields(event: WorldEvent, market: WorldMarket, phase: Phase, shared: Json): Json {
    const volume = volumeOf(event, market);
    const liquidity = phase.isClosed ? 0 : cents(1_000 + 9_000 * unit(seed, 'liquidity', market.id));
    const tick = phase.isClosed ? event.tick : quotes.quote(event, market, now()).tick;
    return {
      id: String(market.id),
      question: market.question,
      conditionId: market.conditionId,
      slug: market.slug,
      outcomes: `["${market.outcomes.join('", "')}"]`,
      clobTokenIds: `["${market.tokens.join('", "')}"]`,
      groupItemTitle: market.title,
      groupItemThreshold: String(market.ordinal),
      ...prices(event, market, phase),
      volume: String(volume),
      volumeNum: volume,
      liquidity: String(liquidity),
      liquidityNum: liquidity,
      orderPriceMinTickSize: tick / 1000,
      negRiskRequestID: event.isNegRisk ? turned(market.conditionId, 20) : '',
      questionID: turned(market.conditionId, 40),
      ...shared,
    };
  }

  /** Known once the window has begun. */
  function priceToBeat(event: WorldEvent): Json | null {
    const { subject } = event;
    if (subject.type !== 'crypto' || subject.kind !== 'up-down' || now() < event.startAt) return null;
    const symbol = symbolOf(subject.symbol);
    return symbol === undefined ? null : { priceToBeat: spotPrice(seed, symbol, event.startAt) };
  }

  function shortEvent(event: WorldEvent): Json {
    const phase = lifecycle.phase(event, now());
    const volume = cents(event.markets.reduce((sum, market) => sum + volumeOf(event, market), 0));
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
      ...(isPosts && { tweetCount: uiCount(steering, tally, event, now()) }),
      eventMetadata: priceToBeat(event),
      ...(event.subject.type === 'crypto' && { startTime: isoSeconds(event.startAt) }),
    };
  }

  return {
    shortEvent,
    event(event) {
      const { series } = event;
      const phase = lifecycle.phase(event, now());
      const shared = sharedFields(event, phase);
      return {
        ...shortEvent(event),
        ...(series !== null && { series: [seriesWire(series)], seriesSlug: series.slug }),
        tags: [{ ...event.tag, forceShow: false }],
        markets: listingOrder(event).map((market) => marketFields(event, market, phase, shared)),
      };
    },
    market(event, market) {
      const phase = lifecycle.phase(event, now());
      const fields = marketFields(event, market, phase, sharedFields(event, phase));
      return { ...fields, events: [shortEvent(event)] };
    },
  };
}

export function seriesWire(series: NonNullable<WorldEvent['series']>) {
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

/** Another 32-byte id made of the digits of a first one. */
function turned(id: string, by: number): string {
  return `0x${id.slice(2 + by)}${id.slice(2, 2 + by)}`;
}

function negRiskId(event: WorldEvent): string {
  return `${turned(event.markets[0]?.conditionId ?? '0x', 10).slice(0, -2)}00`;
}
