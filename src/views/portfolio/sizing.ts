import { stakeFraction, withinCap } from '../../../streams/internal.ts';
import { round4 } from '../round.ts';
import { cents } from './money.ts';
import type { Valuation } from './valuation.ts';

type Adjustment = 'ADD_MORE' | 'TRIM';

/** The target value of a holding for a bankroll, and the adjustment to reach it, in USD. */
export interface Sizing {
  /** The share of the bankroll, computed as for signals. */
  readonly fraction: number;
  readonly target: number;
  /** Never negative; the action gives the direction. */
  readonly adjustment: number;
  /** HOLD when the adjustment is below the threshold. */
  readonly action: Adjustment | 'HOLD';
}

/** A smaller trade is not worth its spread. */
const DEFAULT_THRESHOLD_USD = 5;

/**
 * The size of each holding of one event, in their order; null where the edge is unknown. The holdings of one event share
 * one cap, as the bets of signals do.
 */
export function sized(
  rows: readonly Valuation[],
  bankroll: number,
  threshold: number = DEFAULT_THRESHOLD_USD,
): readonly (Sizing | null)[] {
  const fractions = withinCap(
    rows.map(({ edge, winProbability, price }) =>
      edge === null || winProbability === null ? 0 : stakeFraction(winProbability, price),
    ),
  );
  return rows.map((row, index) =>
    row.edge === null ? null : sizeOf(row.value, fractions[index] ?? 0, bankroll, threshold),
  );
}

function sizeOf(value: number, fraction: number, bankroll: number, threshold: number): Sizing {
  const published = round4(fraction) ?? 0;
  const target = cents(published * bankroll);
  const change = cents(target - value);
  const adjustment = Math.abs(change);
  const isWorthIt = adjustment >= threshold;
  return {
    fraction: published,
    target,
    adjustment,
    action: isWorthIt ? (change > 0 ? 'ADD_MORE' : 'TRIM') : 'HOLD',
  };
}
