import { DAY_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { isoMicros, isoSeconds } from '../calendar.ts';
import type { WorldEvent, WorldMarket } from '../market/event.ts';
import type { Quotes } from '../market/quotes.ts';
import type { Phase, Settlement } from '../market/settlement.ts';
import { unit } from '../rng.ts';

type Json = Record<string, unknown>;

/** No price is shown in the first minutes after a listing. */
const UNPRICED_MS = 10 * MINUTE_MS;

/** `2025-12-01 15:46:34+00`: how markets, unlike events, write the moment they closed. */
function closedTimeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}+00`;
}

/** A JSON list inside a text, with the blank the market puts after the comma. */
function pairText([first, second]: readonly [string, string]): string {
  return `["${first}", "${second}"]`;
}

export const cents = (value: number): number => Math.round(value * 100) / 100;

/** A market as the listing writes it, in two parts: what all markets of its event share, and the rest. */
interface MarketJson {
  shared(event: WorldEvent, phase: Phase): Json;
  own(event: WorldEvent, market: WorldMarket, phase: Phase): Json;
  /** Money traded so far, in USD: grows from the listing to the end. */
  volumeOf(event: WorldEvent, market: WorldMarket): number;
}

interface MarketJsonOptions {
  readonly now: () => number;
  readonly seed: number;
  readonly settlement: Settlement;
  readonly quotes: Quotes;
}

export function createMarketJson({ now, seed, settlement, quotes }: MarketJsonOptions): MarketJson {
  function volumeOf(event: WorldEvent, market: WorldMarket): number {
    const days = Math.max(0, Math.min(now(), event.endAt) - event.listedAt) / DAY_MS;
    return cents(days * (500 + 60_000 * unit(seed, 'volume', market.id) ** 3));
  }

  function prices(event: WorldEvent, market: WorldMarket, phase: Phase): Json {
    if (phase.isClosed) {
      const won = settlement.won(event, market, now());
      return {
        outcomePrices: pairText(won ? ['1', '0'] : ['0', '1']),
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
      outcomePrices: pairText([String(twiceMid / 2000), String((2000 - twiceMid) / 2000)]),
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

  function shared(event: WorldEvent, phase: Phase): Json {
    const endDate = isoSeconds(event.endAt);
    const startDate = isoMicros(event.listedAt);
    const { subject } = event;
    return {
      endDate,
      endDateIso: endDate.slice(0, 10),
      startDate,
      startDateIso: startDate.slice(0, 10),
      createdAt: isoMicros(event.listedAt - 5 * MINUTE_MS),
      updatedAt: isoMicros(Math.floor(now() / MINUTE_MS) * MINUTE_MS),
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
      ...(subject.type === 'posts' && {
        feesEnabled: true,
        feeType: 'culture_fees',
        feeSchedule: { rate: 0.05, exponent: 1, takerOnly: true, rebateRate: 0 },
      }),
    };
  }

  function own(event: WorldEvent, market: WorldMarket, phase: Phase): Json {
    const volume = volumeOf(event, market);
    const liquidity = phase.isClosed ? 0 : cents(1_000 + 9_000 * unit(seed, 'liquidity', market.id));
    const tick = phase.isClosed ? event.tick : quotes.quote(event, market, now()).tick;
    return {
      id: String(market.id),
      question: market.question,
      conditionId: market.conditionId,
      slug: market.slug,
      outcomes: pairText(market.outcomes),
      clobTokenIds: pairText(market.tokens),
      groupItemTitle: market.title,
      groupItemThreshold: String(market.ordinal),
      ...prices(event, market, phase),
      volume: String(volume),
      volumeNum: volume,
      liquidity: String(liquidity),
      liquidityNum: liquidity,
      orderPriceMinTickSize: tick / 1000,
      negRiskRequestID: event.isNegRisk ? rotatedId(market.conditionId, 20) : '',
      questionID: rotatedId(market.conditionId, 40),
    };
  }

  return { shared, own, volumeOf };
}

/** Another 32-byte id: the digits of the first one, rotated. */
function rotatedId(id: string, by: number): string {
  return `0x${id.slice(2 + by)}${id.slice(2, 2 + by)}`;
}

export function negRiskId(event: WorldEvent): string {
  return `${rotatedId(event.markets[0]?.conditionId ?? '0x', 10).slice(0, -2)}00`;
}
