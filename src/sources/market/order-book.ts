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
}

// The finest tick is 0.0001, so a side never has more than 10,001 levels.
const TICKS = 10_000;

export function createOrderBook(bids: readonly Level[], asks: readonly Level[]): OrderBook {
  const sides = { bid: new Map<number, number>(), ask: new Map<number, number>() };

  function change(side: Side, { price, size }: Level) {
    const tick = Math.round(price * TICKS);
    if (size > 0) sides[side].set(tick, price);
    else sides[side].delete(tick);
  }

  for (const level of bids) change('bid', level);
  for (const level of asks) change('ask', level);
  return {
    change,
    top: () => ({ bid: best(sides.bid, Math.max), ask: best(sides.ask, Math.min) }),
  };
}

function best(levels: ReadonlyMap<number, number>, pick: (a: number, b: number) => number): number | null {
  let found: number | null = null;
  for (const price of levels.values()) found = found === null ? price : pick(found, price);
  return found;
}
