import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import type { Overrides } from '../control/overrides.ts';
import type { WorldAccountId } from '../life/accounts.ts';
import type { Timeline } from '../life/timeline.ts';
import { unit } from '../rng.ts';
import type { WorldEvent, WorldMarket } from './event.ts';
import type { Window } from './event-series.ts';
import { spotPrice, symbolOf } from './spot-price.ts';

/** Standard normal distribution function; good to about 1e-4, finer than any price step. */
export function normalCdf(z: number): number {
  const t = 1 / (1 + 0.33267 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * t * (0.4361836 + t * (-0.1201676 + t * 0.937298));
  return z >= 0 ? 1 - tail : tail;
}

interface Belief {
  readonly known: number;
  readonly mean: number;
  readonly deviation: number;
}

/** The market's opinion, formed from posts that are 15 to 20 minutes old. */
export interface TraderBeliefs {
  /** The probability that traders give a market's first outcome at `at`. */
  probability(event: WorldEvent, market: WorldMarket, at: number): number;
}

/** The standard deviation of the log price over an hour. */
const HOURLY_DEVIATION = 0.005;

export function createTraderBeliefs(options: {
  readonly seed: number;
  readonly overrides: Overrides;
  readonly timeline: Timeline;
}): TraderBeliefs {
  const { seed, overrides, timeline } = options;
  const beliefs = new Map<string, Belief>();
  let changesSeen = overrides.changedFrom.length;

  /** Constant pace: the last week's and the window's own, the latter weighing more as it grows. */
  function believe(account: WorldAccountId, window: Window, seenAt: number): Belief {
    const known =
      seenAt > window.startAt
        ? timeline.countedBetween(account, window.startAt, Math.min(seenAt, window.endAt))
        : 0;
    const elapsedMs = Math.max(0, Math.min(seenAt, window.endAt) - window.startAt);
    const weekPace = timeline.countedBetween(account, seenAt - 7 * DAY_MS, seenAt) / (7 * DAY_MS);
    const ownWeight = elapsedMs < DAY_MS ? 0 : elapsedMs / (elapsedMs + 4 * DAY_MS);
    const pace = ownWeight === 0 ? weekPace : (ownWeight * known) / elapsedMs + (1 - ownWeight) * weekPace;
    const expected = pace * Math.max(0, window.endAt - Math.max(seenAt, window.startAt));
    return {
      known,
      mean: known + expected,
      deviation: Math.sqrt(0.3 + 4 * expected + (0.12 * expected) ** 2),
    };
  }

  function beliefAt(account: WorldAccountId, event: WorldEvent, at: number): Belief {
    if (changesSeen !== overrides.changedFrom.length || beliefs.size > 4_000) {
      changesSeen = overrides.changedFrom.length;
      beliefs.clear();
    }
    const minute = Math.floor(at / MINUTE_MS);
    // The window is part of the key: it can be moved.
    const key = `${event.id}:${event.startAt}:${event.endAt}:${minute}`;
    const lateMs = (15 + 5 * unit(seed, 'crowd', event.id)) * MINUTE_MS;
    const belief = beliefs.get(key) ?? believe(account, event, minute * MINUTE_MS - lateMs);
    beliefs.set(key, belief);
    return belief;
  }

  function countProbability({ known, mean, deviation }: Belief, market: WorldMarket): number {
    const below = (count: number): number => normalCdf((count - 0.5 - mean) / deviation);
    // Nothing below what is already known can win: a bucket that ends there gets 0.
    const floor = below(known);
    const upper = market.hi === null ? 1 : below(market.hi + 1);
    return Math.max(0, upper - Math.max(floor, below(market.lo))) / Math.max(1e-9, 1 - floor);
  }

  function priceProbability(event: WorldEvent, market: WorldMarket, at: number): number {
    const { subject } = event;
    const symbol = subject.type === 'crypto' ? symbolOf(subject.symbol) : undefined;
    if (subject.type !== 'crypto' || symbol === undefined) return 0;
    const price = spotPrice(seed, symbol, Math.min(at, event.endAt));
    const hours =
      Math.max(0, event.endAt - Math.max(at, subject.kind === 'up-down' ? event.startAt : at)) / HOUR_MS;
    const deviation = HOURLY_DEVIATION * Math.sqrt(hours) + 1e-4;
    const above = (level: number): number =>
      level <= 0 ? 1 : normalCdf(Math.log(price / level) / deviation);
    if (subject.kind === 'up-down')
      return at < event.startAt ? 0.5 : above(spotPrice(seed, symbol, event.startAt));
    return above(market.lo) - (market.hi === null ? 0 : above(market.hi));
  }

  return {
    probability(event, market, at) {
      return event.subject.type === 'posts'
        ? countProbability(beliefAt(event.subject.account.id, event, at), market)
        : priceProbability(event, market, at);
    },
  };
}
