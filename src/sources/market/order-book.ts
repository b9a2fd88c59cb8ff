interface Level {
  readonly price: number;
  readonly size: number;
}

/** Best prices of a book; null where a side is empty. */
export interface Top {
  readonly bid: number | null;
  readonly ask: number | null;
}

type Side = 'bid' | 'ask';

/** A token's open orders by price. A change gives the new total at its price, 0 for none. */
export interface OrderBook {
  change(side: Side, level: Level): void;
  /** Best levels, wherever in the list they came: providers do not keep an order. */
  top(): Top;
  /** Shares at a price; null when none are known there. */
  sizeAt(side: Side, price: number): number | null;
}

// The finest tick is 0.0001, so a side never has more than 10,001 levels.
const TICKS = 10_000;

export function createOrderBook(bids: readonly Level[], asks: readonly Level[]): OrderBook {
  const sides = { bid: new Map<number, Level>(), ask: new Map<number, Level>() };

  function change(side: Side, { price, size }: Level) {
    const tick = tickOf(price);
    if (size > 0) sides[side].set(tick, { price, size });
    else sides[side].delete(tick);
  }

  for (const level of bids) change('bid', level);
  for (const level of asks) change('ask', level);
  return {
    change,
    top: () => ({ bid: best(sides.bid, Math.max), ask: best(sides.ask, Math.min) }),
    sizeAt: (side, price) => sides[side].get(tickOf(price))?.size ?? null,
  };
}

function tickOf(price: number): number {
  return Math.round(price * TICKS);
}

function best(levels: ReadonlyMap<number, Level>, pick: (a: number, b: number) => number): number | null {
  let found: number | null = null;
  for (const { price } of levels.values()) found = found === null ? price : pick(found, price);
  return found;
}
