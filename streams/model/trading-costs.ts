/** A taker pays this times p (1 - p) per share at price p. */
const TAKER_FEE = 0.05;

export function takerFee(price: number): number {
  return TAKER_FEE * price * (1 - price);
}

/** What a share costs a taker who buys it at this price. */
export function costOfShare(price: number): number {
  return price + takerFee(price);
}

/** What a taker gets for a share sold at this price. */
export function proceedsOfShare(price: number): number {
  return price - takerFee(price);
}
