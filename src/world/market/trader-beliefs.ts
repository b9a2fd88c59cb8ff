import { LRUCache } from 'lru-cache';
import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import type { Overrides } from '../control/overrides.ts';
import type { Account } from '../life/accounts.ts';
import type { Timeline } from '../life/timeline.ts';
import { smoothNoise, unit } from '../rng.ts';
import { type CrowdForecast, chanceBelow, createCrowdForecast } from './crowd-forecast.ts';
import type { WorldEvent, WorldMarket } from './event.ts';
import { normalCdf } from './normal.ts';
import { spotPrice, symbolOf } from './spot-price.ts';

/** The market's opinion. */
export interface TraderBeliefs {
  /** The probability that traders give a market's first outcome at `at`. */
  probability(event: WorldEvent, market: WorldMarket, at: number): number;
}

/** The standard deviation of the log price over an hour. */
const HOURLY_DEVIATION = 0.005;

/** Traders have posts four to twelve minutes late. */
const EARLIEST_MINUTES = 4;
const LATEST_MINUTES = 12;
/** How wrong the crowd is about the posts still to come: about an event for hours, about an account for days. */
const EVENT_ERROR = 0.07;
const EVENT_ERROR_MS = 7 * HOUR_MS;
const ACCOUNT_ERROR = 0.06;
const ACCOUNT_ERROR_MS = 40 * HOUR_MS;
/**
 * Outsiders are bought for more than they are worth: chances are raised to this power, and a share is spread evenly over
 * what can still happen.
 */
const LONG_SHOT_POWER = 0.93;
const LONG_SHOT_SHARE = 0.01;
/** What the oracle will have of the posts that were made, and the variance of the rest per post. */
const SETTLED_SHARE = 0.998;
const SETTLED_VARIANCE = 0.004;
const MOST_KEPT = 3_000;

export function createTraderBeliefs(options: {
  readonly seed: number;
  readonly overrides: Overrides;
  readonly timeline: Timeline;
}): TraderBeliefs {
  const { seed, overrides, timeline } = options;
  const forecasts = createCrowdForecast(timeline);
  const beliefs = new LRUCache<string, Float64Array>({ max: MOST_KEPT });
  let changesSeen = overrides.changedFrom.length;

  function believe(account: Account, event: WorldEvent, at: number): Float64Array {
    const late = EARLIEST_MINUTES + (LATEST_MINUTES - EARLIEST_MINUTES) * unit(seed, 'crowd', event.id);
    const forecast = forecasts.at(account.id, event, at - Math.floor(late * MINUTE_MS));
    const error =
      EVENT_ERROR * smoothNoise(at / EVENT_ERROR_MS, seed, 'event error', event.id) +
      ACCOUNT_ERROR * smoothNoise(at / ACCOUNT_ERROR_MS, seed, 'account error', account.id);
    const mistaken = { ...forecast, mean: forecast.mean * Math.exp(error) };
    return withLongShots(event.markets.map((market) => countProbability(mistaken, market)));
  }

  function beliefAt(account: Account, event: WorldEvent, at: number): Float64Array {
    if (changesSeen !== overrides.changedFrom.length) {
      changesSeen = overrides.changedFrom.length;
      beliefs.clear();
      forecasts.forget();
    }
    const minute = Math.floor(at / MINUTE_MS);
    // Window and buckets are part of the key: they can be changed.
    const [first] = event.markets;
    const buckets = `${first?.id}:${first?.hi}:${event.markets.length}`;
    const key = `${event.id}:${event.startAt}:${event.endAt}:${buckets}:${minute}`;
    let belief = beliefs.get(key);
    if (belief === undefined) {
      belief = believe(account, event, minute * MINUTE_MS);
      beliefs.set(key, belief);
    }
    return belief;
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
      const { subject } = event;
      return subject.type === 'posts'
        ? (beliefAt(subject.account, event, at)[market.ordinal] ?? 0)
        : priceProbability(event, market, at);
    },
  };
}

function countProbability(forecast: CrowdForecast, { lo, hi }: WorldMarket): number {
  const upper = hi === null ? 1 : settledBelow(forecast, hi + 1);
  return Math.max(0, upper - settledBelow(forecast, lo));
}

/** The probability that the oracle ends below `count`; it may miss some posts and count some that do not count. */
function settledBelow(forecast: CrowdForecast, count: number): number {
  if (count <= 0) return 0;
  const left = count - 0.5 - SETTLED_SHARE * forecast.known;
  const step = Math.sqrt(2 * (0.1 + SETTLED_VARIANCE * forecast.known));
  return (
    chanceBelow(forecast, left - step) / 4 +
    chanceBelow(forecast, left) / 2 +
    chanceBelow(forecast, left + step) / 4
  );
}

function withLongShots(chances: readonly number[]): Float64Array {
  const raised = chances.map((chance) => chance ** LONG_SHOT_POWER);
  const sum = raised.reduce((total, each) => total + each, 0);
  const possible = raised.filter((each) => each > 0).length;
  return Float64Array.from(raised, (each) =>
    each === 0 ? 0 : LONG_SHOT_SHARE / possible + ((1 - LONG_SHOT_SHARE) * each) / sum,
  );
}
