import { modelProb } from '../model-prob.ts';
import { round4 } from '../round.ts';
import type { EventFacts } from './event-facts.ts';
import type { Holding } from './held-positions.ts';
import { cents, percentOf, sumOfCents } from './money.ts';

/**
 * A holding in published figures. Each is computed from other published figures, so that a reader who repeats the
 * arithmetic finds the same. Money is in USD.
 */
export interface Valuation extends Holding {
  readonly tokens: number;
  readonly avgPrice: number;
  readonly costBasis: number;
  readonly price: number;
  readonly value: number;
  readonly pnl: number;
  readonly pnlPercent: number;
  readonly winProbability: number | null;
  /** Null without a forecast of the bucket, and while posts, prices or the forecast are stale. */
  readonly edge: number | null;
  readonly edgePercent: number | null;
}

export interface Totals {
  readonly cost: number;
  readonly value: number;
  readonly pnl: number;
  readonly pnlPercent: number;
}

/** Shares have six decimals on the market's chain. */
const SHARE_UNITS = 1e6;

/** `isListFresh` says whether the prices in the list of positions are still valid. */
export function valued(holding: Holding, facts: EventFacts, isListFresh: boolean): Valuation {
  const { position, bucket, side } = holding;
  const yesPrice = facts.yesPriceOf(bucket);
  const ownPrice = yesPrice === null || side === 'Yes' ? yesPrice : 1 - yesPrice;
  const price = rounded(ownPrice ?? position.currentPrice);
  const tokens = Math.round(position.size * SHARE_UNITS) / SHARE_UNITS;
  const costBasis = cents(position.costBasis);
  const value = cents(tokens * price);
  const pnl = cents(value - costBasis);
  const winProbability = winProbabilityOf(holding, facts);
  const isKnown = facts.isComparable(bucket) && (ownPrice !== null || isListFresh);
  const edge = winProbability === null || !isKnown ? null : rounded(winProbability - price);
  return {
    ...holding,
    tokens,
    avgPrice: rounded(position.avgPrice),
    costBasis,
    price,
    value,
    pnl,
    pnlPercent: percentOf(pnl, costBasis),
    winProbability,
    edge,
    edgePercent: edge === null ? null : percentOf(edge, price),
  };
}

/** Sums of the published figures, so that they add up to the cent. */
export function totalsOf(rows: readonly Valuation[]): Totals {
  const cost = sumOfCents(rows.map(({ costBasis }) => costBasis));
  const value = sumOfCents(rows.map((row) => row.value));
  const pnl = cents(value - cost);
  return { cost, value, pnl, pnlPercent: percentOf(pnl, cost) };
}

/** The probability that the held side wins. No wins when Yes does not. */
function winProbabilityOf({ bucket, side }: Holding, { prediction, counters }: EventFacts): number | null {
  const predicted = prediction?.buckets.find(({ lo, hi }) => lo === bucket.lo && hi === bucket.hi);
  if (prediction === undefined || predicted === undefined) return null;
  const prob = modelProb(predicted, prediction, counters);
  if (prob === null) return null;
  return side === 'Yes' ? rounded(prob) : rounded(1 - rounded(prob));
}

function rounded(value: number): number {
  return round4(value) ?? value;
}
