import {
  type AccountNow,
  accountNow,
  accountSeries,
  bucketOf,
  countBetween,
  crps,
  DAY_MS,
  type FinalCount,
  fitModel,
  forecastOf,
  type Gap,
  HORIZON_HOURS,
  HOUR_MS,
  inputsAt,
  logScore,
  type MadeForecast,
  type ModelParams,
  madeForecast,
  paceFinalCount,
  pit,
  probabilityIn,
} from '../../../streams/internal.ts';
import { simulate } from '../../simulation/simulate.ts';
import { gapsKnownAt } from './collection-gaps.ts';
import type { Job } from './job-plan.ts';
import { type MarketScore, scoreMarket } from './market-prices.ts';
import type { PriceHistory } from './price-files.ts';
import type { Window } from './windows.ts';

/** The data of a backtest; the posts may be in shared memory. */
export interface Material {
  readonly postTimes: Float64Array;
  readonly gaps: readonly Gap[];
  readonly windows: readonly Window[];
  /** Prices of each window, in the order of `windows`; empty without any. */
  readonly prices: readonly PriceHistory[];
  /** Posts after this time are not known. */
  readonly knownUntil: number;
}

/** A forecast and its outcome. */
export interface Row {
  readonly originAt: number;
  readonly startAt: number;
  readonly endAt: number;
  readonly count: number;
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  /** At 1 % to 99 %. */
  readonly quantiles: readonly number[];
  /** Null while the window's end is not known. */
  readonly final: number | null;
  readonly scores: Scores | null;
}

export interface Scores {
  readonly crps: number;
  readonly crpsPace: number;
  /** Of the realised bucket of 20 counts. */
  readonly logScore: number;
  readonly logScorePace: number;
  readonly pit: number;
  /** Probability of the likeliest bucket of 20, and whether it won. */
  readonly topProbability: number;
  readonly isTopHit: boolean;
  readonly market: MarketScore | null;
}

/** A forecast made at one of `HORIZON_HOURS` before the end of a window whose final count is known. */
export interface MadeInWindow {
  readonly window: number;
  readonly forecast: MadeForecast;
  readonly final: number;
}

/** The rows of a job in the order of its forecasts, and what later jobs can learn from them. */
export interface JobResult {
  readonly rows: readonly Row[];
  readonly params: ModelParams;
  readonly made: readonly MadeInWindow[];
}

const BUCKET_WIDTH = 20;
/** As live: the model is shown no older posts. */
export const REMEMBERED_MS = 800 * DAY_MS;
/** A window with a change of the clocks has its origins an hour off. */
const HORIZON_REACH_HOURS = 1.5;

/** Fits once, then forecasts from each origin with what was known there. */
export function runJob(job: Job, material: Material, onForecast: () => void = () => {}): JobResult {
  const params = job.params ?? fitModel(seriesAt(material, job.fitAt));
  const made: MadeInWindow[] = [];
  let account: AccountNow | undefined;
  const rows = job.forecasts.map(({ originAt, window }) => {
    if (account?.series.now !== originAt) account = accountNow(seriesAt(material, originAt));
    const { row, quantiles } = forecastRow(account, params, material, window);
    made.push(...madeIn(row, window, quantiles));
    onForecast();
    return row;
  });
  return { rows, params, made };
}

function madeIn(row: Row, window: number, quantiles: readonly number[]): MadeInWindow[] {
  const { originAt, endAt, count, final } = row;
  const away = (hours: number) => Math.abs((endAt - originAt) / HOUR_MS - hours);
  const hours = HORIZON_HOURS.find((each) => away(each) <= HORIZON_REACH_HOURS);
  if (hours === undefined || final === null) return [];
  return [{ window, forecast: madeForecast(hours, count, quantiles, 1), final }];
}

function seriesAt({ postTimes, gaps }: Material, now: number) {
  const fromAt = Math.max(Math.min(postTimes[0] ?? now, now), now - REMEMBERED_MS);
  return accountSeries(postTimes, fromAt, now, gapsKnownAt(gaps, now));
}

/** The row, and the quantiles at 0 %, 1 %, ... 100 %. */
function forecastRow(account: AccountNow, params: ModelParams, material: Material, index: number) {
  const window = material.windows[index];
  if (window === undefined) throw new RangeError(`there is no window ${index}`);
  const { startAt, endAt, total } = window;
  const { now } = account.series;
  const count = countBetween(material.postTimes, startAt, Math.min(now, endAt));
  const inputs = inputsAt(account, params, { startAt, endAt, count });
  const outlook = simulate(inputs, seedOf(window));
  const { p5, p50, p95, quantiles } = forecastOf(outlook, []);
  const isKnown = endAt <= material.knownUntil;
  const final = total ?? (isKnown ? countBetween(material.postTimes, startAt, endAt) : null);
  const pace = paceFinalCount(account.series, { startAt, endAt, count });
  const prices = material.prices[index];
  const row: Row = {
    ...{ originAt: now, startAt, endAt, count, p5, p50, p95, quantiles: quantiles.slice(1, 100), final },
    scores:
      final === null
        ? null
        : scoresOf(outlook, pace, final, prices && scoreMarket(prices, now, outlook, final)),
  };
  return { row, quantiles };
}

function scoresOf(
  outlook: FinalCount,
  pace: FinalCount,
  final: number,
  market: MarketScore | null | undefined,
): Scores {
  const bucket = bucketOf(final, BUCKET_WIDTH);
  const top = likeliestBucket(outlook);
  return {
    crps: crps(outlook, final),
    crpsPace: crps(pace, final),
    logScore: logScore(probabilityIn(outlook, bucket)),
    logScorePace: logScore(probabilityIn(pace, bucket)),
    pit: pit(outlook, final),
    topProbability: top.probability,
    isTopHit: top.lo === bucket.lo,
    market: market ?? null,
  };
}

function likeliestBucket(outlook: FinalCount): { readonly lo: number; readonly probability: number } {
  let best = { lo: 0, probability: 0 };
  const end = outlook.count + outlook.paths.length;
  for (let { lo } = bucketOf(outlook.count, BUCKET_WIDTH); lo < end; lo += BUCKET_WIDTH) {
    const probability = probabilityIn(outlook, bucketOf(lo, BUCKET_WIDTH));
    if (probability > best.probability) best = { lo, probability };
  }
  return best;
}

/** The same draws for every forecast of a window. */
function seedOf({ startAt, endAt }: Window): number {
  return Math.imul(startAt / 1_000, 0x9e3779b1) ^ Math.imul(endAt / 1_000, 0x85ebca6b);
}
