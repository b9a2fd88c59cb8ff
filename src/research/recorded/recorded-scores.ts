import { bootstrapInterval, brier, logScore, quantileCrps } from '../../../streams/internal.ts';
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

function scoresOf(
  samples: readonly ScoredSample[],
  probabilities: (sample: ScoredSample) => readonly number[],
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
const marketOf = ({ market }: ScoredSample) => market ?? [];

/** How much worse the model's log score was than the market's; null without prices. */
function lossToMarket(sample: ScoredSample): number | null {
  return sample.market === null ? null : logOf(sample, modelOf(sample)) - logOf(sample, sample.market);
}

/** Forecasts of one event depend on each other. */
function byEvent(samples: readonly ScoredSample[]): ScoredSample[][] {
  const groups = new Map<number, ScoredSample[]>();
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
    against_market: againstMarket(samples.filter(({ market }) => market !== null)),
  };
}

function againstMarket(priced: readonly ScoredSample[]): RecordedSummary['against_market'] {
  if (priced.length === 0) return null;
  const blocks = byEvent(priced).map((samples) => samples.flatMap((sample) => lossToMarket(sample) ?? []));
  return {
    n: priced.length,
    events: blocks.length,
    model: scoresOf(priced, modelOf),
    market: scoresOf(priced, marketOf),
    difference: mean(blocks.flat()),
    difference_interval: bootstrapInterval(blocks, (drawn) => mean(drawn.flat())),
  };
}
