import type { Place } from '../market/listed-events.ts';
import { priceText, type Quote } from '../market/quotes.ts';
import { unit } from '../rng.ts';
import { bookJson, lastText, levelChanges, topOf } from './book-json.ts';

type Frame = Record<string, unknown>;

export function bookFrame({ event, market, outcome }: Place, quote: Quote, now: number): Frame {
  return { event_type: 'book', ...bookJson(event, market, quote, outcome, now) };
}

interface Change {
  /** The tokens of one market that the reader asked for. */
  readonly places: readonly Place[];
  readonly before: Quote;
  readonly quote: Quote;
  /** Whether the reader wants the frames that are sent on request only. */
  readonly wantsCustom: boolean;
  readonly now: number;
}

/** What a reader is sent when one quote of a market follows another, in order. */
export function changeFrames({ places, before, quote, wantsCustom, now }: Change): readonly Frame[] {
  const market = places[0]?.market;
  if (market === undefined) return [];
  const frames: Frame[] = [];
  if (before.tick !== quote.tick) frames.push(...places.map((place) => tickFrame(place, before, quote, now)));
  // One frame names both tokens of the market, whichever of them the reader asked for.
  const changes = [...levelChanges(market, before, quote, 0), ...levelChanges(market, before, quote, 1)];
  if (changes.length > 0) {
    const head = { event_type: 'price_change', market: market.conditionId };
    frames.push({ ...head, price_changes: changes, timestamp: String(now) });
  }
  for (const place of places) {
    if (quote.hasTraded && quote.last !== null)
      frames.push(tradeFrame(place, quote, now), bookFrame(place, quote, now));
    const top = topOf(quote, place.outcome);
    const old = topOf(before, place.outcome);
    if (wantsCustom && (top.bid !== old.bid || top.ask !== old.ask)) frames.push(topFrame(place, quote, now));
  }
  return frames;
}

function headOf({ market, outcome }: Place, type: string): Frame {
  return { event_type: type, market: market.conditionId, asset_id: market.tokens[outcome] };
}

function tickFrame(place: Place, before: Quote, quote: Quote, now: number): Frame {
  const ticks = { old_tick_size: priceText(before.tick), new_tick_size: priceText(quote.tick) };
  return { ...headOf(place, 'tick_size_change'), ...ticks, timestamp: String(now) };
}

function topFrame(place: Place, quote: Quote, now: number): Frame {
  const { bid, ask, spread } = topOf(quote, place.outcome);
  return { ...headOf(place, 'best_bid_ask'), best_bid: bid, best_ask: ask, spread, timestamp: String(now) };
}

function tradeFrame(place: Place, quote: Quote, now: number): Frame {
  const { market, outcome } = place;
  return {
    ...headOf(place, 'last_trade_price'),
    price: lastText(quote, outcome),
    size: String(5 + Math.floor(100 * unit('trade size', market.id, quote.slot))),
    fee_rate_bps: '0',
    side: unit('side', market.id, quote.slot) < 0.5 ? 'BUY' : 'SELL',
    timestamp: String(now),
  };
}

export function resolvedFrame({ event, market }: Place, won: boolean, now: number): Frame {
  const outcome = won ? 0 : 1;
  return {
    event_type: 'market_resolved',
    id: String(market.id),
    market: market.conditionId,
    assets_ids: market.tokens,
    winning_asset_id: market.tokens[outcome],
    winning_outcome: market.outcomes[outcome],
    tags: [event.tag.slug],
    timestamp: String(now),
  };
}
