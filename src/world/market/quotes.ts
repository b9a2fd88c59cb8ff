import type { Overrides } from '../control/overrides.ts';
import { hash32, hex, unit } from '../rng.ts';
import type { WorldEvent, WorldMarket } from './event.ts';
import type { TraderBeliefs } from './trader-beliefs.ts';

/** A price in thousandths. Whole numbers, so that the sum of a price and its complement is exact. */
type Milli = number;

export interface Level {
  readonly price: Milli;
  readonly size: number;
}

/** The book of a market's first token. It holds for one slot of time; the second token's is its mirror. */
export interface Quote {
  readonly slot: number;
  readonly since: number;
  /** When the next one follows. */
  readonly until: number;
  readonly tick: 1 | 10;
  /** Best first. Empty for a bucket without bids. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly last: Milli | null;
  readonly hasTraded: boolean;
}

export interface Quotes {
  /** The same object as long as nothing changes. */
  quote(event: WorldEvent, market: WorldMarket, now: number): Quote;
  /** The quote that held at an earlier instant. */
  past(event: WorldEvent, market: WorldMarket, at: number): Quote;
}

/**
 * How long a quote holds. Some 280 markets are listed at a time and about half of the new quotes differ from
 * the old, so about one bucket changes each second.
 */
const SLOT_MS = 160_000;
const FAST_SLOT_MS = 20_000;
const TIDY_SIZE = 2_000;
/** Steps of a side of the book away from its best price, and what is left of the size there. */
const DEPTH = [
  [0, 1],
  [1, 0.7],
  [2, 0.5],
  [4, 0.33],
  [7, 0.2],
  [12, 0.1],
] as const;
const LOOK_BACK_SLOTS = 8;

export function createQuotes(options: {
  readonly seed: number;
  readonly overrides: Overrides;
  readonly traders: TraderBeliefs;
}): Quotes {
  const { seed, overrides, traders } = options;
  const current = new Map<number, { readonly quote: Quote; readonly forced: number | undefined }>();
  let tidyAt = TIDY_SIZE;

  /** Drops the markets that nobody asks for any more. */
  function tidy(now: number): void {
    if (current.size < tidyAt) return;
    for (const [id, { quote }] of current) if (quote.since < now - 4 * SLOT_MS) current.delete(id);
    tidyAt = Math.max(TIDY_SIZE, 2 * current.size);
  }

  function slotMsOf(event: WorldEvent): number {
    return event.subject.type === 'crypto' && event.subject.kind === 'up-down' ? FAST_SLOT_MS : SLOT_MS;
  }

  function probability(event: WorldEvent, market: WorldMarket, slot: number, at: number): number {
    const p = Math.min(0.9995, Math.max(0.0005, traders.probability(event, market, at)));
    // Noise on the log odds, so that it is small where little is open.
    const noise =
      0.16 * (unit(seed, 'noise', market.id, slot) - 0.5) +
      0.3 * (unit(seed, 'mood', market.id, slot >> 5) - 0.5);
    const odds = (p / (1 - p)) * Math.exp(noise);
    return odds / (1 + odds);
  }

  function top(event: WorldEvent, market: WorldMarket, slot: number, at: number) {
    const forced = overrides.prices.get(market.tokens[0]);
    const p = forced ?? probability(event, market, slot, at);
    const tick = p < 0.04 || p > 0.96 ? 1 : event.tick;
    const steps = forced === undefined ? spreadSteps(market, slot, p, tick) : 2;
    const bid = Math.floor((p * 1000) / tick - steps / 2 + 0.5) * tick;
    return { tick, bid, ask: bid + steps * tick } as const;
  }

  /** A step where nothing is open any more, two cents or so where most is. */
  function spreadSteps(market: WorldMarket, slot: number, p: number, tick: 1 | 10): number {
    const wideness = 0.6 + 0.8 * unit(seed, 'spread', market.id, slot >> 2);
    return Math.max(
      1,
      Math.round((wideness * (4 * Math.min(1, 100 * p) + 24 * Math.sqrt(p * (1 - p)))) / tick),
    );
  }

  /** The size at the best price; buckets that nobody expects to win are thin. */
  function topSize(market: WorldMarket, best: Milli): number {
    const likely = Math.min(best, 1000 - best) / 1000;
    return (60 + 900 * likely) * (0.5 + unit(seed, 'size', market.id));
  }

  function levels(
    market: WorldMarket,
    side: 'bid' | 'ask',
    best: Milli,
    step: Milli,
    slot: number,
  ): readonly Level[] {
    const found: Level[] = [];
    const size = topSize(market, best);
    for (const [distance, share] of DEPTH) {
      const price = best + distance * step;
      if (price < 1 || price > 999) break;
      // Sizes outlive several quotes: most of a book stays when its top moves.
      const draw = unit(seed, side, market.id, price, (slot + price) >> 2);
      found.push({ price, size: Math.max(5, Math.round(100 * size * share * (0.8 + 0.4 * draw)) / 100) });
    }
    return found;
  }

  function hasTrade(market: WorldMarket, slot: number): boolean {
    return unit(seed, 'trade', market.id, slot) < 0.25;
  }

  function lastTrade(
    event: WorldEvent,
    market: WorldMarket,
    slot: number,
    slotAt: (index: number) => number,
  ): Milli | null {
    for (let index = slot; index > slot - LOOK_BACK_SLOTS; index--) {
      if (!hasTrade(market, index)) continue;
      if (slotAt(index) < event.listedAt) return null;
      const { bid, ask } = top(event, market, index, slotAt(index));
      const price = unit(seed, 'taker', market.id, index) < 0.5 ? bid : ask;
      return price >= 1 && price <= 999 ? price : null;
    }
    return null;
  }

  function build(event: WorldEvent, market: WorldMarket, slot: number): Quote {
    const slotMs = slotMsOf(event);
    const slotAt = (index: number): number => index * slotMs + phaseMsOf(market, slotMs);
    const { tick, bid, ask } = top(event, market, slot, slotAt(slot));
    return {
      slot,
      since: slotAt(slot),
      until: slotAt(slot + 1),
      tick,
      bids: levels(market, 'bid', bid, -tick, slot),
      asks: levels(market, 'ask', Math.max(1, ask), tick, slot),
      last: lastTrade(event, market, slot, slotAt),
      hasTraded: hasTrade(market, slot),
    };
  }

  function slotOf(event: WorldEvent, market: WorldMarket, at: number): number {
    const slotMs = slotMsOf(event);
    return Math.floor((at - phaseMsOf(market, slotMs)) / slotMs);
  }

  return {
    quote(event, market, now) {
      const slot = slotOf(event, market, now);
      const forced = overrides.prices.get(market.tokens[0]);
      const known = current.get(market.id);
      if (known !== undefined && known.quote.slot === slot && known.forced === forced) return known.quote;
      const quote = build(event, market, slot);
      tidy(now);
      current.set(market.id, { quote, forced });
      return quote;
    },
    past: (event, market, at) => build(event, market, slotOf(event, market, at)),
  };
}

/** Markets change at different instants, so that the changes of a book of many spread over time. */
function phaseMsOf(market: WorldMarket, slotMs: number): number {
  return hash32('phase', market.id) % slotMs;
}

/** The book of one of the two tokens: a bid for No at p is an ask for Yes at 1 - p. */
export function bookOf(
  quote: Quote,
  outcome: 0 | 1,
): { readonly bids: readonly Level[]; readonly asks: readonly Level[] } {
  if (outcome === 0) return quote;
  const mirror = (level: Level): Level => ({ price: 1000 - level.price, size: level.size });
  return { bids: quote.asks.map(mirror), asks: quote.bids.map(mirror) };
}

export function priceText(price: Milli): string {
  return String(price / 1000);
}

export function bookHash(market: WorldMarket, quote: Quote, outcome: 0 | 1): string {
  return hex(
    40,
    'book',
    market.id,
    quote.slot,
    outcome,
    quote.bids[0]?.price ?? 0,
    quote.asks[0]?.price ?? 0,
  );
}
