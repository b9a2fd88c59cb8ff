import type { AccountMoment, EventFacts } from './event-facts.ts';
import { holdingsIn, type WalletPositions } from './held-positions.ts';
import { type Sizing, sized } from './sizing.ts';
import { type Totals, totalsOf, type Valuation, valued } from './valuation.ts';

/** The positions of a wallet in one active event. */
export interface Portfolio {
  readonly facts: EventFacts;
  readonly rows: readonly Valuation[];
  readonly totals: Totals;
  readonly readAt: number;
}

/** Prices that came with a list of positions become stale like our own. */
export function portfolioOf(
  facts: EventFacts,
  { positions, readAt }: WalletPositions,
  { nowMs, staleAfterMs }: AccountMoment,
): Portfolio {
  const isListFresh = nowMs - readAt <= staleAfterMs.prices;
  const rows = holdingsIn(facts.event, positions).map((holding) => valued(holding, facts, isListFresh));
  return { facts, rows, totals: totalsOf(rows), readAt };
}

/** Sizes in the order of the rows; null where the signals skip the bucket. */
export function sizesOf(
  { facts, rows }: Portfolio,
  bankroll: number,
  threshold?: number,
): readonly (Sizing | null)[] {
  return sized(rows, facts.signals, bankroll, threshold);
}
