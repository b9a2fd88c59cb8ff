import { bootstrapInterval, brier, logPool, logScore, quantileCrps } from '../../../streams/internal.ts';
import type { ScoredSample } from './forecast-samples.ts';

type Interval = readonly [low: number, high: number] | null;

interface BucketScores {
  readonly log_score: number;
  readonly brier: number;
}

/** Scores of a group of forecasts, named as they are written. Lower is better. */
export interface RecordedSummary {
  readonly n: number;
  readonly events: number;
  readonly model: BucketScores & { readonly crps: number | null; readonly coverage90: number | null };
  readonly pace: BucketScores & { readonly crps: number | null };
  /** On the forecasts beside which the market had prices no older than two minutes. */
  readonly against_market: {
    readonly n: number;
    readonly events: number;
    readonly model: BucketScores;
    readonly market: BucketScores;
    /** Log score of the model less that of the market, and its 95 % interval by events. */
    readonly difference: number;
    readonly difference_interval: Interval;
    /** The normalised geometric mean of model and market, and its log score less that of each of them. */
    readonly pool: BucketScores;
    readonly pool_less_market: number;
    readonly pool_less_market_interval: Interval;
    readonly pool_less_model: number;
    readonly pool_less_model_interval: Interval;
  } | null;
}

export interface RecordedScores {
  readonly forecasts: number;
  readonly scored: number;
  readonly overall: RecordedSummary | null;
  /** By hours left, as text. */
  readonly by_horizon: Readonly<Record<string, RecordedSummary>>;
}

export function recordedScores(all: number, samples: readonly ScoredSample[]): RecordedScores {
  const hours = [...new Set(samples.map(({ hoursLeft }) => hoursLeft))].sort((a, b) => a - b);
  return {
    forecasts: all,
    scored: samples.length,
    overall: summaryOf(samples),
    by_horizon: Object.fromEntries(
      hours.flatMap((hour) => {
        const summary = summaryOf(samples.filter(({ hoursLeft }) => hoursLeft === hour));
        return summary === null ? [] : [[String(hour), summary]];
      }),
    ),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function scoresOf<S extends ScoredSample>(
  samples: readonly S[],
  probabilities: (sample: S) => readonly number[],
): BucketScores {
  return {
    log_score: mean(samples.map((sample) => logOf(sample, probabilities(sample)))),
    brier: mean(
      samples.map((sample) => {
        const winner = sample.buckets[sample.won]?.lo ?? -1;
        return brier(sample.buckets, probabilities(sample), winner);
      }),
    ),
  };
}

function logOf({ won }: ScoredSample, probabilities: readonly number[]): number {
  return logScore(probabilities[won] ?? 0);
}

const modelOf = ({ buckets }: ScoredSample) => buckets.map(({ prob }) => prob);
const paceOf = ({ buckets }: ScoredSample) => buckets.map(({ paceProb }) => paceProb);

/** Forecasts at whose instant model, market and their pool all have probabilities. */
interface PricedSample extends ScoredSample {
  readonly market: readonly number[];
  readonly pool: readonly number[];
}

function pricedOf(sample: ScoredSample): PricedSample[] {
  const { market } = sample;
  const pool = market && logPool(modelOf(sample), market);
  return market === null || pool === null ? [] : [{ ...sample, market, pool }];
}

/** Forecasts of one event depend on each other. */
function byEvent<S extends ScoredSample>(samples: readonly S[]): S[][] {
  const groups = new Map<number, S[]>();
  for (const sample of samples) groups.set(sample.eventId, [...(groups.get(sample.eventId) ?? []), sample]);
  return [...groups.values()];
}

function summaryOf(samples: readonly ScoredSample[]): RecordedSummary | null {
  if (samples.length === 0) return null;
  const counted = samples.flatMap(({ final, ...sample }) => (final === null ? [] : [{ ...sample, final }]));
  const crpsOf = (quantiles: (sample: ScoredSample) => readonly number[]) =>
    counted.length === 0
      ? null
      : mean(counted.map((sample) => quantileCrps(quantiles(sample), sample.final)));
  const isCovered = ({ p5, p95, final }: (typeof counted)[number]) => p5 <= final && final <= p95;
  return {
    n: samples.length,
    events: byEvent(samples).length,
    model: {
      ...scoresOf(samples, modelOf),
      crps: crpsOf(({ quantiles }) => quantiles),
      coverage90: counted.length === 0 ? null : mean(counted.map((each) => (isCovered(each) ? 1 : 0))),
    },
    pace: { ...scoresOf(samples, paceOf), crps: crpsOf(({ paceQuantiles }) => paceQuantiles) },
    against_market: againstMarket(samples.flatMap(pricedOf)),
  };
}

function againstMarket(priced: readonly PricedSample[]): RecordedSummary['against_market'] {
  if (priced.length === 0) return null;
  const events = byEvent(priced);
  const difference = (of: (sample: PricedSample) => number) => {
    const blocks = events.map((samples) => samples.map(of));
    return {
      mean: mean(blocks.flat()),
      interval: bootstrapInterval(blocks, (drawn) => mean(drawn.flat())),
    };
  };
  const model = difference((sample) => logOf(sample, modelOf(sample)) - logOf(sample, sample.market));
  const pool = difference((sample) => logOf(sample, sample.pool) - logOf(sample, sample.market));
  const poolLessModel = difference((sample) => logOf(sample, sample.pool) - logOf(sample, modelOf(sample)));
  return {
    n: priced.length,
    events: events.length,
    model: scoresOf(priced, modelOf),
    market: scoresOf(priced, ({ market }) => market),
    difference: model.mean,
    difference_interval: model.interval,
    pool: scoresOf(priced, (sample) => sample.pool),
    pool_less_market: pool.mean,
    pool_less_market_interval: pool.interval,
    pool_less_model: poolLessModel.mean,
    pool_less_model_interval: poolLessModel.interval,
  };
}
