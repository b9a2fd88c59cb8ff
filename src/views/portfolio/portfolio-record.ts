import type * as z from 'zod';
import type { EventRecord } from '../../../streams/internal.ts';
import type {
  heldEventRecord,
  heldPredictionRecord,
  portfolioRecord,
  positionRecord,
  sizingRecord,
} from '../../contract/records/portfolio.ts';
import { round4 } from '../round.ts';
import type { EventFacts } from './event-facts.ts';
import { type Portfolio, sizesOf } from './portfolio.ts';
import type { Sizing } from './sizing.ts';
import type { Valuation } from './valuation.ts';
import { heldSignalOf, recommendationOf } from './verdicts.ts';

type PortfolioRecord = z.infer<typeof portfolioRecord>;

/** A wallet in one active event (spec 2.6). Sizes are included when there is a bankroll. */
export function portfolioToWire(
  wallet: string,
  portfolio: Portfolio,
  bankroll: number | undefined,
): PortfolioRecord {
  const { facts, rows, totals, readAt } = portfolio;
  const sizes = bankroll === undefined ? undefined : sizesOf(portfolio, bankroll);
  return {
    wallet,
    event: heldEventToWire(facts.event),
    prediction: predictionToWire(facts),
    positions: rows.map((row, index) => ({
      ...positionToWire(facts.event, row),
      ...(sizes && { sizing: sizingToWire(sizes[index] ?? null) }),
    })),
    portfolio: {
      total_positions: rows.length,
      total_cost: totals.cost,
      current_value: totals.value,
      total_pnl: totals.pnl,
      total_pnl_percent: totals.pnlPercent,
    },
    positions_ts: readAt,
    stale: [...facts.stale],
  };
}

/** The record of a wallet while no event of the account is active. */
export function emptyPortfolioToWire(wallet: string, segment: string): PortfolioRecord {
  return {
    wallet,
    event: null,
    prediction: null,
    positions: [],
    portfolio: { total_positions: 0, total_cost: 0, current_value: 0, total_pnl: 0, total_pnl_percent: 0 },
    message: noEventMessage(segment),
    positions_ts: null,
    stale: [],
  };
}

export function noEventMessage(segment: string): string {
  return `No event of ${segment} is active, so there are no positions to analyse`;
}

export function heldEventToWire({ eventId, title, endAt }: EventRecord): z.infer<typeof heldEventRecord> {
  return { id: eventId, title, end_ts: endAt };
}

/** Percentiles are at least the oracle's present count, as it may have grown since the forecast. */
function predictionToWire(facts: EventFacts): z.infer<typeof heldPredictionRecord> {
  const { prediction, counters, velocity, secondsRemaining } = facts;
  const real = counters?.real ?? null;
  const atLeast = (percentile: number | undefined) =>
    percentile === undefined ? null : Math.max(counters?.oracle ?? 0, percentile);
  return {
    p5: atLeast(prediction?.p5),
    p50: atLeast(prediction?.p50),
    p95: atLeast(prediction?.p95),
    real_counter: real,
    seconds_remaining: secondsRemaining,
    velocity_counted_1h: velocity?.counted1h ?? null,
    forecast_id: prediction?.forecastId ?? null,
    forecast_ts: prediction?.madeAt ?? null,
  };
}

function positionToWire(event: EventRecord, row: Valuation): z.infer<typeof positionRecord> {
  const { position, bucket, side, price, winProbability, edge, edgePercent } = row;
  return {
    event_id: String(event.eventId),
    bucket: bucket.title,
    outcome: side,
    token_id: position.token,
    tokens: row.tokens,
    avg_price: row.avgPrice,
    cost_basis: row.costBasis,
    current_price: price,
    current_value: row.value,
    pnl: row.pnl,
    pnl_percent: row.pnlPercent,
    mergeable: position.isMergeable,
    analysis: {
      win_probability: winProbability,
      market_implied: price,
      edge,
      edge_percent: edgePercent,
      signal: heldSignalOf(edgePercent),
      recommendation: recommendationOf(edge),
    },
  };
}

function sizingToWire(size: Sizing | null): z.infer<typeof sizingRecord> {
  return {
    kelly_fraction: size?.fraction ?? null,
    target_value: size?.target ?? null,
    adjustment: size?.adjustment ?? null,
    action: size?.action ?? null,
    limit_price: round4(size?.limitPrice ?? null),
  };
}
