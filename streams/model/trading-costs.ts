/**
 * What a taker pays per share at price p: the rate times p (1 - p), that to the power of the exponent. The exponent is whole, so
 * that all machines come to the same digits.
 */
export interface TakerFee {
  readonly rate: number;
  readonly exponent: number;
}

/** Where the market does not say: the highest that was seen, so that no bet looks better than it may be. */
export const USUAL_FEE: TakerFee = { rate: 0.05, exponent: 1 };

export function takerFee(price: number, { rate, exponent }: TakerFee = USUAL_FEE): number {
  let fee = rate;
  for (let times = 0; times < exponent; times++) fee *= price * (1 - price);
  return fee;
}

/** What a share costs a taker who buys it at this price. */
export function costOfShare(price: number, fee?: TakerFee): number {
  return price + takerFee(price, fee);
}

/** What a taker gets for a share sold at this price. */
export function proceedsOfShare(price: number, fee?: TakerFee): number {
  return price - takerFee(price, fee);
}
