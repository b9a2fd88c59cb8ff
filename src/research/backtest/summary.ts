import {
  bootstrapInterval,
  distanceFromUniform,
  HOUR_MS,
  median,
  percentile,
} from '../../../streams/internal.ts';
import type { Row, Scores } from './forecast-job.ts';
import type { MarketScore } from './market-prices.ts';

type Interval = readonly [low: number, high: number] | null;

/** Scores of a group of forecasts, named as they are written. */
export interface Summary {
  readonly n: number;
  readonly windows: number;
  readonly crps: number;
  readonly crps_pace: number;
  /** CRPS divided by the pace's CRPS, less 1; its 95 % interval is by windows. */
  readonly crps_gain: number;
  readonly crps_gain_interval: Interval;
  readonly log_score: number;
  readonly log_score_pace: number;
  readonly coverage90: number;
  readonly coverage90_interval: Interval;
  readonly median_ape: number;
  readonly p90_ape: number;
  readonly pit_mean: number;
  readonly pit_ks: number;
  readonly top_bucket_hit_rate: number;
  readonly top_bucket_probability: number;
  readonly market: MarketSummary | null;
}

/** The market's scores, and those of the model and of the log pool of both, on the same forecasts. */
export interface MarketSummary {
  readonly n: number;
  readonly windows: number;
  readonly crps: number;
  readonly crps_model: number;
  readonly crps_pool: number;
  readonly log_score: number;
  readonly log_score_model: number;
  readonly log_score_pool: number;
  /** Model less market, with its interval by windows. */
  readonly log_score_difference: number;
  readonly log_score_difference_interval: Interval;
  /** Pool less market, and pool less model. */
  readonly log_score_pool_difference: number;
  readonly log_score_pool_difference_interval: Interval;
  readonly log_score_pool_less_model: number;
  readonly log_score_pool_less_model_interval: Interval;
  readonly brier: number;
  readonly brier_model: number;
  readonly brier_pool: number;
  readonly coverage90: number;
  readonly median_ape: number;
}

export interface Report {
  readonly windows: number;
  readonly forecasts: number;
  readonly overall: Summary;
  /** By hours left at the origin, as text. */
  readonly by_horizon: Readonly<Record<string, Summary>>;
}

/** A row whose outcome is known. */
export interface ScoredRow extends Row {
  readonly final: number;
  readonly scores: Scores;
}

export function scoredRows(rows: readonly Row[]): ScoredRow[] {
  return rows.flatMap(({ final, scores, ...rest }) =>
    final === null || scores === null ? [] : [{ ...rest, final, scores }],
  );
}

export function hoursLeft({ originAt, endAt }: Row): number {
  return Math.round((endAt - originAt) / HOUR_MS);
}

/** As if every day of the window had 24 h, so that a change of the clocks makes no horizon of its own. */
function nominalHoursLeft(row: Row): number {
  const hours = (row.endAt - row.startAt) / HOUR_MS;
  const change = hours - 24 * Math.round(hours / 24);
  return Math.abs(change) === 1 ? Math.max(1, hoursLeft(row) - change) : hoursLeft(row);
}

export function reportOf(rows: readonly Row[]): Report | null {
  const scored = scoredRows(rows);
  if (scored.length === 0) return null;
  const groups = grouped(scored, nominalHoursLeft);
  return {
    windows: windowsOf(scored).length,
    forecasts: rows.length,
    overall: summarise(scored),
    by_horizon: Object.fromEntries(
      [...groups].sort(([a], [b]) => a - b).map(([hours, group]) => [String(hours), summarise(group)]),
    ),
  };
}

export function windowsOf(rows: readonly ScoredRow[]): ScoredRow[][] {
  return [...grouped(rows, ({ startAt, endAt }) => `${startAt} ${endAt}`).values()];
}

function grouped<T, Key>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function mean<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0) / items.length;
}

function ascending(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b);
}

function isCovered({ final, p5, p95 }: ScoredRow): boolean {
  return final >= p5 && final <= p95;
}

function summarise(rows: readonly ScoredRow[]): Summary {
  const blocks = windowsOf(rows);
  const gain = (some: readonly ScoredRow[]) =>
    mean(some, ({ scores }) => scores.crps) / mean(some, ({ scores }) => scores.crpsPace) - 1;
  const coverage = (some: readonly ScoredRow[]) => mean(some, (row) => (isCovered(row) ? 1 : 0));
  const errors = ascending(rows.map(({ p50, final }) => Math.abs(p50 - final) / Math.max(1, final)));
  const pits = rows.map(({ scores }) => scores.pit).sort((a, b) => a - b);
  return {
    n: rows.length,
    windows: blocks.length,
    crps: mean(rows, ({ scores }) => scores.crps),
    crps_pace: mean(rows, ({ scores }) => scores.crpsPace),
    crps_gain: gain(rows),
    crps_gain_interval: bootstrapInterval(blocks, (drawn) => gain(drawn.flat())),
    log_score: mean(rows, ({ scores }) => scores.logScore),
    log_score_pace: mean(rows, ({ scores }) => scores.logScorePace),
    coverage90: coverage(rows),
    coverage90_interval: bootstrapInterval(blocks, (drawn) => coverage(drawn.flat())),
    median_ape: median(errors) ?? Number.NaN,
    p90_ape: percentile(errors, 90) ?? Number.NaN,
    pit_mean: mean(pits, (value) => value),
    pit_ks: distanceFromUniform(pits),
    top_bucket_hit_rate: mean(rows, ({ scores }) => (scores.isTopHit ? 1 : 0)),
    top_bucket_probability: mean(rows, ({ scores }) => scores.topProbability),
    market: summariseMarket(blocks),
  };
}

function summariseMarket(blocks: readonly (readonly ScoredRow[])[]): MarketSummary | null {
  const priced = blocks
    .map((rows) => rows.flatMap(({ scores }) => scores.market ?? []))
    .filter((scores) => scores.length > 0);
  const all = priced.flat();
  if (all.length === 0) return null;
  const difference = (of: (score: MarketScore) => number) => ({
    mean: mean(all, of),
    interval: bootstrapInterval(priced, (drawn) => mean(drawn.flat(), of)),
  });
  const model = difference((score) => score.logScoreModel - score.logScore);
  const pool = difference((score) => score.logScorePool - score.logScore);
  const poolLessModel = difference((score) => score.logScorePool - score.logScoreModel);
  return {
    n: all.length,
    windows: priced.length,
    crps: mean(all, (score) => score.crps),
    crps_model: mean(all, (score) => score.crpsModel),
    crps_pool: mean(all, (score) => score.crpsPool),
    log_score: mean(all, (score) => score.logScore),
    log_score_model: mean(all, (score) => score.logScoreModel),
    log_score_pool: mean(all, (score) => score.logScorePool),
    log_score_difference: model.mean,
    log_score_difference_interval: model.interval,
    log_score_pool_difference: pool.mean,
    log_score_pool_difference_interval: pool.interval,
    log_score_pool_less_model: poolLessModel.mean,
    log_score_pool_less_model_interval: poolLessModel.interval,
    brier: mean(all, (score) => score.brier),
    brier_model: mean(all, (score) => score.brierModel),
    brier_pool: mean(all, (score) => score.brierPool),
    coverage90: mean(all, ({ isCovered }) => (isCovered ? 1 : 0)),
    median_ape: median(ascending(all.map(({ ape }) => ape))) ?? Number.NaN,
  };
}
