/** What a taker of these markets pays per share at price p is this times p (1 - p). */
const TAKER_FEE = 0.05;

export function takerFee(price: number): number {
  return TAKER_FEE * price * (1 - price);
}

/**
 * What a share costs to buy beyond its price: the way from the price up to the best ask, which at the middle of a
 * book is half the spread, and the taker's fee. Null while there is no offer.
 */
export function costOfBuying(price: number, ask: number | null): number | null {
  // In a crossed book the ask may lie below the price; that lowers no cost.
  return ask === null ? null : Math.max(0, ask - price) + takerFee(price);
}
