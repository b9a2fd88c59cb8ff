/** The most of a bankroll that is ever put on one event. Its buckets exclude one another. */
export const EVENT_CAP = 0.05;

/**
 * The most of a bankroll that is ever put on all events of an account that are open at once. They count the same posts,
 * so their outcomes are not independent.
 */
export const ACCOUNT_CAP = 0.1;

/** The full Kelly stake is right only for an exactly known probability; ours is an estimate. */
const SHARE_OF_KELLY = 0.25;

/** What is left of a stake at a horizon where the model is not shown to be better than the market. */
const UNPROVEN_SHARE = 0.5;

/** The share of the account moves in steps, so that a small change of one event seldom changes the others. */
const ACCOUNT_STEPS = 20;

/** Sums of stakes have binary rounding errors. */
const TOLERANCE = 1e-9;

/**
 * The stake on a binary bet, as a fraction of a bankroll, with the fastest growth: (q - p) / (1 - p), and 0 without an
 * edge or with a price that is not between 0 and 1.
 */
export function fullKelly(prob: number, price: number): number {
  if (!(price > 0 && price < 1) || !(prob > price)) return 0;
  return Math.min(1, (prob - price) / (1 - price));
}

/** The fraction we would stake if there were no caps: a quarter of the Kelly stake. */
export function wantedStake(kelly: number): number {
  return SHARE_OF_KELLY * kelly;
}

/** The stake of a bet that is alone in its event. */
export function loneStake(kelly: number): number {
  return Math.min(EVENT_CAP, wantedStake(kelly));
}

/** The share that is left of each lone stake of an event, given their sum. */
export function eventShare(sum: number): number {
  return sum <= EVENT_CAP ? 1 : EVENT_CAP / sum;
}

/** The share that is left of each stake of an account, given the sum over its open events. */
export function accountShare(sum: number): number {
  if (sum <= ACCOUNT_CAP * (1 + TOLERANCE)) return 1;
  return Math.floor((ACCOUNT_CAP / sum) * ACCOUNT_STEPS + TOLERANCE) / ACCOUNT_STEPS;
}

export function provenShare(isProven: boolean): number {
  return isProven ? 1 : UNPROVEN_SHARE;
}

/** The expected profit of a bet of one unit: q / p - 1. Null at a price of 0. */
export function expectedValue(prob: number, price: number): number | null {
  return price > 0 ? prob / price - 1 : null;
}
