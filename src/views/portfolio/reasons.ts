import { cents } from './money.ts';
import type { Sizing } from './sizing.ts';
import type { Valuation } from './valuation.ts';

/** Why a position should grow or shrink, for people. */
export function reasonsFor(
  row: Valuation,
  size: Sizing,
  { bankroll, isProven }: { readonly bankroll: number; readonly isProven: boolean },
): readonly string[] {
  const { winProbability, price, edge, value, side, bucket } = row;
  const held = `${value.toFixed(2)} USD`;
  const target = size.target ?? 0;
  return [
    `the model gives ${side} on ${bucket.title} ${inPercent(winProbability ?? 0)} and the market ${inPercent(price)}: an edge of ${points(edge ?? 0)}`,
    size.fraction === 0
      ? `there is no edge to hold it for: the target is 0 USD and ${held} are held`
      : `the target is ${inPercent(size.fraction)} of ${bankroll} USD, ${target.toFixed(2)} USD, and ${held} are held`,
    ...(size.adjustment < Math.abs(cents(target - value)) ? ['nobody bids for more at the best price'] : []),
    ...(isProven
      ? []
      : ['the model has not been shown to be better than the market this long before the close']),
    ...(row.position.isMergeable ? ['both sides are held: what overlaps can be merged instead of sold'] : []),
  ];
}

function inPercent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

function points(edge: number): string {
  return `${edge > 0 ? '+' : ''}${(100 * edge).toFixed(2)} points`;
}
