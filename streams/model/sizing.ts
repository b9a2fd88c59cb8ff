/** The most of a bankroll that is ever put on one bet, and on all bets of one event. */
export const STAKE_CAP = 0.05;

/** The full Kelly stake is right only for an exactly known probability; ours is an estimate. */
const SHARE_OF_KELLY = 0.25;

/**
 * The stake on a binary bet, as a fraction of a bankroll, with the fastest growth: (q - p) / (1 - p), and 0 without an
 * edge or with a price that is not between 0 and 1.
 */
export function fullKelly(prob: number, price: number): number {
  if (!(price > 0 && price < 1) || !(prob > price)) return 0;
  return Math.min(1, (prob - price) / (1 - price));
}

/** The fraction we suggest: a quarter of the Kelly stake, at most the cap. */
export function stakeFraction(prob: number, price: number): number {
  return Math.min(STAKE_CAP, SHARE_OF_KELLY * fullKelly(prob, price));
}

/** Stakes on outcomes that exclude one another, scaled down until their sum is at most the cap. */
export function withinCap(fractions: readonly number[]): readonly number[] {
  const sum = fractions.reduce((total, fraction) => total + fraction, 0);
  return sum <= STAKE_CAP ? fractions : fractions.map((fraction) => fraction * (STAKE_CAP / sum));
}

/** The expected profit of a bet of one unit: q / p - 1. Null at a price of 0. */
export function expectedValue(prob: number, price: number): number | null {
  return price > 0 ? prob / price - 1 : null;
}
