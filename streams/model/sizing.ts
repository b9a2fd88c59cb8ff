/** The most of a bankroll that is ever put on one bet, and on all bets of one event. */
export const STAKE_CAP = 0.05;

/** Full optimal growth is the right stake only for a probability known exactly; ours is an estimate. */
const SHARE_OF_KELLY = 0.25;

/**
 * The fraction of a bankroll whose stake on a binary bet grows it fastest: (q - p) / (1 - p), 0 without an edge.
 * A price outside 0..1, both excluded, is no quote and gets no stake.
 */
export function fullKelly(prob: number, price: number): number {
  if (!(price > 0 && price < 1) || !(prob > price)) return 0;
  return Math.min(1, (prob - price) / (1 - price));
}

/** The fraction we suggest: a quarter of the above, at most the cap. */
export function stakeFraction(prob: number, price: number): number {
  return Math.min(STAKE_CAP, SHARE_OF_KELLY * fullKelly(prob, price));
}

/** Stakes on outcomes that exclude one another, shrunk alike until they take at most the cap together. */
export function withinCap(fractions: readonly number[]): readonly number[] {
  const sum = fractions.reduce((total, fraction) => total + fraction, 0);
  return sum <= STAKE_CAP ? fractions : fractions.map((fraction) => fraction * (STAKE_CAP / sum));
}

/** What one unit bet returns beyond itself on average: q / p - 1. Null where there is no price to pay. */
export function expectedValue(prob: number, price: number): number | null {
  return price > 0 ? prob / price - 1 : null;
}
