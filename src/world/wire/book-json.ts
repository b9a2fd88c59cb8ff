import type { WorldEvent, WorldMarket } from '../market/event.ts';
import { bookHash, bookOf, type Level, priceText, type Quote } from '../market/quotes.ts';

type Json = Record<string, unknown>;

function levelJson(level: Level): { readonly price: string; readonly size: string } {
  return { price: priceText(level.price), size: String(level.size) };
}

/** A book: bids ascending and asks descending, so the best level is last. Numbers are texts. */
export function bookJson(
  event: WorldEvent,
  market: WorldMarket,
  quote: Quote,
  outcome: 0 | 1,
  now: number,
): Json {
  const { bids, asks } = bookOf(quote, outcome);
  return {
    market: market.conditionId,
    asset_id: market.tokens[outcome],
    timestamp: String(now),
    hash: bookHash(market, quote, outcome),
    bids: bids.map(levelJson).reverse(),
    asks: asks.map(levelJson).reverse(),
    min_order_size: '5',
    tick_size: priceText(quote.tick),
    neg_risk: event.isNegRisk,
    last_trade_price: lastText(quote, outcome),
  };
}

/** Empty before the first trade. */
export function lastText(quote: Quote, outcome: 0 | 1): string {
  if (quote.last === null) return '';
  return priceText(outcome === 0 ? quote.last : 1000 - quote.last);
}

interface Top {
  readonly bid: string;
  readonly ask: string;
  readonly spread: string;
  readonly mid: string;
}

/** Best prices as texts; an absent one is empty. */
export function topOf(quote: Quote, outcome: 0 | 1): Top {
  const { bids, asks } = bookOf(quote, outcome);
  const bid = bids[0]?.price;
  const ask = asks[0]?.price;
  return {
    bid: bid === undefined ? '' : priceText(bid),
    ask: ask === undefined ? '' : priceText(ask),
    spread: bid === undefined || ask === undefined ? '' : priceText(ask - bid),
    mid: String(((bid ?? 0) + (ask ?? 1000)) / 2000),
  };
}

/** The levels that differ between two quotes: new totals, "0" for a level that went away. */
export function levelChanges(
  market: WorldMarket,
  before: Quote,
  after: Quote,
  outcome: 0 | 1,
): readonly Json[] {
  const top = topOf(after, outcome);
  const old = bookOf(before, outcome);
  const next = bookOf(after, outcome);
  const changes: Json[] = [];
  for (const [side, was, is] of [
    ['BUY', old.bids, next.bids],
    ['SELL', old.asks, next.asks],
  ] as const) {
    const sizes = new Map<number, number>(was.map((level) => [level.price, 0]));
    for (const level of is) sizes.set(level.price, level.size);
    for (const level of was) if (sizes.get(level.price) === level.size) sizes.delete(level.price);
    for (const [price, size] of sizes) {
      changes.push({
        asset_id: market.tokens[outcome],
        price: priceText(price),
        size: String(size),
        side,
        hash: bookHash(market, after, outcome),
        best_bid: top.bid,
        best_ask: top.ask,
      });
    }
  }
  return changes;
}
