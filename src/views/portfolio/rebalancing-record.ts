import type * as z from 'zod';
import type { adjustmentRecord, rebalancingRecord } from '../../contract/records/rebalancing.ts';
import { round4 } from '../round.ts';
import type { EventFacts } from './event-facts.ts';
import { type Portfolio, sizesOf } from './portfolio.ts';
import { heldEventToWire, noEventMessage } from './portfolio-record.ts';
import { reasonsFor } from './reasons.ts';
import type { Sizing } from './sizing.ts';
import type { Valuation } from './valuation.ts';

type AdjustmentRecord = z.infer<typeof adjustmentRecord>;
type RebalancingRecord = z.infer<typeof rebalancingRecord>;

interface RebalancingQuery {
  readonly wallet: string;
  readonly bankroll: number;
  readonly threshold: number;
}

/** The positions of a wallet in one active event that differ from their target by the threshold or more, largest first. */
export function rebalancingToWire(portfolio: Portfolio, query: RebalancingQuery): RebalancingRecord {
  const { wallet, bankroll, threshold } = query;
  const { facts, rows, readAt } = portfolio;
  const sizes = sizesOf(portfolio, bankroll, threshold);
  return {
    wallet,
    event: heldEventToWire(facts.event),
    bankroll,
    threshold,
    adjustments: rows
      .flatMap((row, index) => adjustmentToWire(facts, row, sizes[index] ?? null, bankroll))
      .sort((left, right) => right.adjustment - left.adjustment),
    positions_ts: readAt,
    stale: [...facts.stale],
  };
}

export function emptyRebalancingToWire(query: RebalancingQuery, segment: string): RebalancingRecord {
  const { wallet, bankroll, threshold } = query;
  return {
    wallet,
    event: null,
    bankroll,
    threshold,
    adjustments: [],
    message: noEventMessage(segment),
    positions_ts: null,
    stale: [],
  };
}

function adjustmentToWire(
  { event, signals }: EventFacts,
  row: Valuation,
  size: Sizing | null,
  bankroll: number,
): readonly AdjustmentRecord[] {
  const { winProbability, edge } = row;
  if (size === null || size.action === 'HOLD' || size.target === null) return [];
  if (winProbability === null || edge === null) return [];
  return [
    {
      event_id: event.eventId,
      bucket: row.bucket.title,
      token_id: row.position.token,
      outcome: row.side,
      action: size.action,
      current_value: row.value,
      target_value: size.target,
      adjustment: size.adjustment,
      kelly_fraction: size.fraction,
      model_prob: winProbability,
      current_price: row.price,
      edge,
      limit_price: round4(size.limitPrice),
      reasons: [...reasonsFor(row, size, { bankroll, isProven: signals?.track.isProven ?? false })],
    },
  ];
}
