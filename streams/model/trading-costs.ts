/** A taker pays this times p (1 - p) per share at price p. */
const TAKER_FEE = 0.05;

export function takerFee(price: number): number {
  return TAKER_FEE * price * (1 - price);
}

/**
 * The cost of buying a share beyond its price: the distance from the price to the best ask (half the spread, when the
 * price is the middle of the book) plus the taker's fee. Null while there is no offer.
 */
export function costOfBuying(price: number, ask: number | null): number | null {
  // In a crossed book the ask may lie below the price, which does not lower the cost.
  return ask === null ? null : Math.max(0, ask - price) + takerFee(price);
}
