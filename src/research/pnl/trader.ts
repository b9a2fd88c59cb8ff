import {
  ACCOUNT_CAP,
  EVENT_CAP,
  fullKelly,
  type Output,
  type TakerFee,
  wantedStake,
} from '../../../streams/internal.ts';
import type { Level, Market } from './market.ts';
import type { Order } from './order.ts';
import type { Portfolio, Strategy } from './strategy.ts';

export interface Terms {
  readonly bankrollUsd: number;
  /** From the record that caused an order until the order meets the book. */
  readonly latencyMs: number;
  /** The fee of a share in USD; `stated` is what the market says it is, undefined where it says nothing. */
  readonly feeOf: (price: number, token: string, stated: TakerFee | undefined) => number;
  /** An order does not meet a book that was last known to hold longer ago than this. */
  readonly maxBookAgeMs: number;
}

/** An order, or a part of one, that met the book. */
export interface Fill {
  readonly decidedAt: number;
  /** When it met the book. */
  readonly at: number;
  readonly token: string;
  readonly eventId: number;
  readonly title: string;
  readonly isYes: boolean;
  readonly side: Order['side'];
  readonly shares: number;
  readonly price: number;
  readonly feeUsd: number;
  /** How long before `at` the book was last known to hold. */
  readonly bookAgeMs: number;
  /** Of a purchase: the probability that it was made with, and how far that is above what a share cost with its fee. */
  readonly prob: number | null;
  readonly edge: number | null;
}

/** A position that is over: settled, or sold to the last share. */
export interface Bet {
  readonly token: string;
  readonly eventId: number;
  readonly isYes: boolean;
  readonly closedAt: number;
  readonly boughtUsd: number;
  readonly pnlUsd: number;
  /** The mean edge of its purchases, by what they cost; null where the strategy named no probability. */
  readonly edge: number | null;
}

type Unfilled =
  | 'not_listed'
  | 'settled'
  | 'no_offer'
  | 'old_book'
  | 'unknown_size'
  | 'taken'
  | 'limit'
  | 'no_edge'
  | 'capped'
  | 'not_held'
  | 'too_small'
  | 'ended';

/** What became of a strategy. */
export interface Trading {
  readonly fills: readonly Fill[];
  readonly bets: readonly Bet[];
  /** What is still held. */
  readonly open: readonly { readonly eventId: number; readonly costUsd: number; readonly valueUsd: number }[];
  /** Equity over time: every minute in which it changed, and after every fill and settlement. */
  readonly curve: readonly { readonly at: number; readonly usd: number }[];
  readonly unfilled: Readonly<Partial<Record<Unfilled, number>>>;
}

interface Trader {
  readonly name: string;
  /** To be called before the record of `time` is shown to the market: fills what was due before. */
  advance(time: number): void;
  /** To be called after it, with the tokens that it settled. */
  handle(time: number, output: Output, settled: readonly string[], isAsked: boolean): void;
  finish(time: number): Trading;
}

interface Position {
  readonly token: string;
  readonly eventId: number;
  readonly isYes: boolean;
  readonly owner: string;
  shares: number;
  costUsd: number;
  boughtUsd: number;
  receivedUsd: number;
  /** Cost of the purchases with a known edge, and that times the edge. */
  judgedUsd: number;
  edgeUsd: number;
}

interface Pending {
  readonly order: Order;
  readonly decidedAt: number;
}

const MINUTE_MS = 60_000;
/** Nobody trades for less. */
const LEAST_USD = 0.01;
/** Shares that are left by rounding. */
const DUST = 1e-9;

/** One strategy with an account of its own. Its orders do not move the market, but it cannot take an offer twice. */
export function createTrader(strategy: Strategy, terms: Terms, market: Market): Trader {
  const positions = new Map<string, Position>();
  const taken = new Map<string, { readonly version: number; readonly shares: number }>();
  const fills: Fill[] = [];
  const bets: Bet[] = [];
  const curve: { at: number; usd: number }[] = [];
  const unfilled: Partial<Record<Unfilled, number>> = {};
  let pending: Pending[] = [];
  let cashUsd = terms.bankrollUsd;
  let minute = Number.NEGATIVE_INFINITY;

  const markOf = (token: string) => market.payout(token) ?? market.level(token, 'SELL')?.price ?? 0;

  function equity(): number {
    let sum = cashUsd;
    for (const { token, shares } of positions.values()) sum += shares * markOf(token);
    return sum;
  }

  function sample(at: number): void {
    const usd = equity();
    if (curve.at(-1)?.usd !== usd) curve.push({ at, usd });
  }

  function leave(reason: Unfilled): void {
    unfilled[reason] = (unfilled[reason] ?? 0) + 1;
  }

  function costIn(isMeant: (position: Position) => boolean): number {
    let sum = 0;
    for (const position of positions.values()) if (isMeant(position)) sum += position.costUsd;
    return sum;
  }

  function portfolio(time: number): Portfolio {
    const holdings = Array.from(positions.values(), ({ token, eventId, shares, costUsd }) => ({
      ...{ token, eventId, shares, costUsd },
    }));
    const tokens = pending.map(({ order }) => order.token);
    return { time, cashUsd, equityUsd: equity(), holdings, pending: tokens };
  }

  /** The offer that is there and old enough to be known, young enough to be trusted; or why there is none. */
  function offer(order: Order, at: number): Level | Unfilled {
    if (market.listing(order.token) === undefined) return 'not_listed';
    if (market.payout(order.token) !== undefined) return 'settled';
    const level = market.level(order.token, order.side);
    if (level === undefined) return 'no_offer';
    if (at - level.knownAt > terms.maxBookAgeMs) return 'old_book';
    if (level.size === null) return 'unknown_size';
    const { limit } = order;
    const isWorse = order.side === 'BUY' ? level.price > (limit ?? 1) : level.price < (limit ?? 0);
    return isWorse ? 'limit' : level;
  }

  function leftOf({ place, version, size }: Level): number {
    const before = taken.get(place);
    return (size ?? 0) - (before?.version === version ? before.shares : 0);
  }

  function take({ place, version }: Level, shares: number): void {
    const before = taken.get(place);
    taken.set(place, { version, shares: shares + (before?.version === version ? before.shares : 0) });
  }

  function fill(order: Order, decidedAt: number, at: number): Fill | Unfilled {
    const level = offer(order, at);
    if (typeof level === 'string') return level;
    const left = leftOf(level);
    if (left <= 0) return 'taken';
    const fee = terms.feeOf(level.price, order.token, market.listing(order.token)?.fee);
    const traded = order.side === 'BUY' ? buy(order, level, fee, left) : sell(order, level, fee, left, at);
    if (typeof traded === 'string') return traded;
    take(level, traded);
    const listing = market.listing(order.token);
    const prob = order.side === 'BUY' ? (order.prob ?? null) : null;
    return {
      ...{ decidedAt, at, token: order.token, side: order.side, shares: traded, price: level.price, prob },
      eventId: listing?.eventId ?? 0,
      title: listing?.title ?? '',
      isYes: listing?.isYes ?? true,
      feeUsd: traded * fee,
      bookAgeMs: Math.max(0, at - level.knownAt),
      edge: prob === null ? null : prob - level.price - fee,
    };
  }

  function buy(order: Order, { price }: Level, fee: number, left: number): number | Unfilled {
    const { token, usd, prob } = order;
    const listing = market.listing(token);
    if (listing === undefined) return 'not_listed';
    const cost = price + fee;
    const bankroll = equity();
    const held = positions.get(token);
    const wanted = usd ?? wantedStake(fullKelly(prob ?? 0, cost)) * bankroll - (held?.costUsd ?? 0);
    if (wanted <= 0) return 'no_edge';
    const { eventId, isYes, owner } = listing;
    const room = Math.min(
      EVENT_CAP * bankroll - costIn((position) => position.eventId === eventId),
      ACCOUNT_CAP * bankroll - costIn((position) => position.owner === owner),
      cashUsd,
    );
    if (room < LEAST_USD) return 'capped';
    const shares = Math.min(Math.min(wanted, room) / cost, left);
    const paid = shares * cost;
    if (paid < LEAST_USD) return 'too_small';
    const position = held ?? emptyPosition(token, eventId, isYes, owner);
    positions.set(token, position);
    position.shares += shares;
    position.costUsd += paid;
    position.boughtUsd += paid;
    if (prob !== undefined) {
      position.judgedUsd += paid;
      position.edgeUsd += paid * (prob - cost);
    }
    cashUsd -= paid;
    return shares;
  }

  function sell(order: Order, { price }: Level, fee: number, left: number, at: number): number | Unfilled {
    const position = positions.get(order.token);
    if (position === undefined) return 'not_held';
    const shares = Math.min(order.shares ?? position.shares, position.shares, left);
    if (shares * price < LEAST_USD) return 'too_small';
    const received = shares * (price - fee);
    position.costUsd -= position.costUsd * (shares / position.shares);
    position.shares -= shares;
    position.receivedUsd += received;
    cashUsd += received;
    if (position.shares <= DUST) close(position, at);
    return shares;
  }

  function close(position: Position, closedAt: number): void {
    const { token, eventId, isYes, boughtUsd, receivedUsd, judgedUsd, edgeUsd } = position;
    const edge = judgedUsd > 0 ? edgeUsd / judgedUsd : null;
    bets.push({ token, eventId, isYes, closedAt, boughtUsd, pnlUsd: receivedUsd - boughtUsd, edge });
    positions.delete(token);
  }

  function settle(token: string, at: number): void {
    const position = positions.get(token);
    if (position === undefined) return;
    const received = position.shares * (market.payout(token) ?? 0);
    position.receivedUsd += received;
    cashUsd += received;
    close(position, at);
    sample(at);
  }

  function fillBefore(time: number): void {
    if (pending.length === 0) return;
    const isDue = ({ decidedAt }: Pending) => decidedAt + terms.latencyMs < time;
    const due = pending.filter(isDue);
    if (due.length === 0) return;
    pending = pending.filter((each) => !isDue(each));
    for (const { order, decidedAt } of due) {
      const at = decidedAt + terms.latencyMs;
      const filled = fill(order, decidedAt, at);
      if (typeof filled === 'string') {
        leave(filled);
        continue;
      }
      fills.push(filled);
      sample(at);
    }
  }

  return {
    name: strategy.name,
    advance(time) {
      fillBefore(time);
      const now = Math.floor(time / MINUTE_MS);
      if (now > minute) sample(time);
      minute = now;
    },
    handle(time, output, settled, isAsked) {
      for (const token of settled) settle(token, time);
      if (!isAsked) return;
      const orders = strategy.decide(output, { portfolio: () => portfolio(time), market });
      for (const order of orders) pending.push({ order, decidedAt: time });
    },
    finish(time) {
      fillBefore(time + 1);
      for (const _ of pending) leave('ended');
      pending = [];
      sample(time);
      const open = Array.from(positions.values(), ({ token, eventId, shares, costUsd }) => ({
        ...{ eventId, costUsd, valueUsd: shares * markOf(token) },
      }));
      return { fills, bets, open, curve, unfilled };
    },
  };
}

function emptyPosition(token: string, eventId: number, isYes: boolean, owner: string): Position {
  return {
    ...{ token, eventId, isYes, owner, shares: 0, costUsd: 0, boughtUsd: 0, receivedUsd: 0 },
    ...{ judgedUsd: 0, edgeUsd: 0 },
  };
}
