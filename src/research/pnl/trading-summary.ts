import { bootstrapInterval } from '../../../streams/internal.ts';
import type { Bet, Trading } from './trader.ts';
import type { NamedTrading } from './trading.ts';

/** How some of the bets did. */
interface BetGroup {
  readonly bets: number;
  /** The share of them that made money. */
  readonly hit_rate: number;
  readonly bought_usd: number;
  readonly pnl_usd: number;
}

/** Those whose mean edge lay in [from, to); both null where the strategy named no probability. */
export interface EdgeBand extends BetGroup {
  readonly from: number | null;
  readonly to: number | null;
}

/** Those on one side. */
export interface SideBets extends BetGroup {
  readonly side: 'Yes' | 'No';
}

/** A strategy's result, named as it is written. */
export interface TradingSummary {
  readonly strategy: string;
  readonly start_usd: number;
  readonly end_usd: number;
  readonly pnl_usd: number;
  /** 95 % interval of the profit, by events; null with fewer than two. */
  readonly pnl_interval: readonly [low: number, high: number] | null;
  /** Of bets that are over, and of what is still held at what somebody bids for it. */
  readonly settled_pnl_usd: number;
  readonly open_pnl_usd: number;
  readonly events: number;
  readonly bets: number;
  readonly open_bets: number;
  readonly hit_rate: number | null;
  readonly fills: number;
  /** Everything bought and sold, without fees. */
  readonly turnover_usd: number;
  readonly fees_usd: number;
  /** The deepest fall below an earlier height, as a share of that height. */
  readonly max_drawdown: number;
  readonly by_edge: readonly EdgeBand[];
  /** Yes, then No; a side without a bet that is over is left out. */
  readonly by_side: readonly SideBets[];
  /** Orders that met no offer, by reason. */
  readonly unfilled: Trading['unfilled'];
  /** Time and equity. */
  readonly curve: readonly (readonly [at: number, usd: number])[];
}

const EDGES = [Number.NEGATIVE_INFINITY, 0, 0.02, 0.05, 0.1, 0.2, Number.POSITIVE_INFINITY];

export function tradingSummary(trading: NamedTrading, startUsd: number): TradingSummary {
  const { name, fills, bets, open, curve, unfilled } = trading;
  const settled = sum(bets, ({ pnlUsd }) => pnlUsd);
  const held = sum(open, ({ costUsd, valueUsd }) => valueUsd - costUsd);
  const endUsd = curve.at(-1)?.usd ?? startUsd;
  const byEvent = profitByEvent(trading);
  return {
    strategy: name,
    start_usd: startUsd,
    end_usd: endUsd,
    pnl_usd: endUsd - startUsd,
    pnl_interval: bootstrapInterval(byEvent, (drawn) => sum(drawn, (usd) => usd)),
    settled_pnl_usd: settled,
    open_pnl_usd: held,
    events: byEvent.length,
    bets: bets.length,
    open_bets: open.length,
    hit_rate: bets.length === 0 ? null : hitRate(bets),
    fills: fills.length,
    turnover_usd: sum(fills, ({ shares, price }) => shares * price),
    fees_usd: sum(fills, ({ feeUsd }) => feeUsd),
    max_drawdown: deepestFall(curve.map(({ usd }) => usd)),
    by_edge: edgeBands(bets),
    by_side: (['Yes', 'No'] as const).flatMap((side) => {
      const some = bets.filter(({ isYes }) => isYes === (side === 'Yes'));
      return some.length === 0 ? [] : [{ side, ...groupOf(some) }];
    }),
    unfilled,
    curve: curve.map(({ at, usd }) => [at, usd]),
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function hitRate(bets: readonly Bet[]): number {
  return bets.filter(({ pnlUsd }) => pnlUsd > 0).length / bets.length;
}

function groupOf(bets: readonly Bet[]): BetGroup {
  return {
    ...{ bets: bets.length, hit_rate: hitRate(bets) },
    bought_usd: sum(bets, ({ boughtUsd }) => boughtUsd),
    pnl_usd: sum(bets, ({ pnlUsd }) => pnlUsd),
  };
}

/** The buckets of an event exclude one another, so an event is one draw. */
function profitByEvent({ bets, open }: Trading): number[] {
  const profits = new Map<number, number>();
  const add = (eventId: number, usd: number) => profits.set(eventId, (profits.get(eventId) ?? 0) + usd);
  for (const { eventId, pnlUsd } of bets) add(eventId, pnlUsd);
  for (const { eventId, costUsd, valueUsd } of open) add(eventId, valueUsd - costUsd);
  return [...profits.values()];
}

function deepestFall(values: readonly number[]): number {
  let height = 0;
  let deepest = 0;
  for (const value of values) {
    height = Math.max(height, value);
    if (height > 0) deepest = Math.max(deepest, 1 - value / height);
  }
  return deepest;
}

function edgeBands(bets: readonly Bet[]): EdgeBand[] {
  const band = (from: number | null, to: number | null, some: readonly Bet[]): EdgeBand[] =>
    some.length === 0 ? [] : [{ from, to, ...groupOf(some) }];
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  const known = EDGES.slice(1).flatMap((to, index) => {
    const from = EDGES[index] ?? 0;
    const isIn = ({ edge }: Bet) => edge !== null && edge >= from && edge < to;
    return band(finite(from), finite(to), bets.filter(isIn));
  });
  return [
    ...known,
    ...band(
      null,
      null,
      bets.filter(({ edge }) => edge === null),
    ),
  ];
}
