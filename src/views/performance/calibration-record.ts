import {
  distanceFromUniform,
  LEAST_AGAINST,
  type Score,
  type ScoreRecord,
} from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { calibrationGroupRecord } from '../../contract/records/calibration.ts';
import { round4 } from '../round.ts';
import { meanInterval } from './mean-interval.ts';
import { sameInstants } from './same-instants.ts';
import type { ScoredForecast, ScoreGroup } from './scores.ts';

type Interval = readonly [low: number | null, high: number | null] | null;
type Measure = (score: ScoreRecord) => number | null;

const BINS = 10;

type Loss = (score: Score) => number | null;

/**
 * The scores of a group of forecasts, each event counting once. Lower scores are better, and a difference below 0 is in
 * the model's favour. `account` is a path segment, null for all accounts. In small steps.
 */
export function* calibrationToWire(
  { origin, horizonHours, forecasts }: ScoreGroup,
  account: string | null,
): Generator<void, RecordOf<typeof calibrationGroupRecord>> {
  const scores = forecasts.map(({ score }) => score);
  yield;
  const events = eventsOf(scores);
  yield;
  const pits = scores.flatMap(({ model }) => model.pit ?? []).sort((a, b) => a - b);
  const crps = yield* compare(events, (score) => score.crps);
  const log = yield* compare(events, (score) => score.logScore);
  const brier = yield* compare(events, (score) => score.brier);
  const same = yield* sameInstants(forecasts);
  yield;
  const priced = new Set(scores.flatMap(({ eventId, market }) => (market === null ? [] : [eventId])));
  yield;
  const priceCount = scores.filter(({ market }) => market !== null).length;
  yield;
  const coverage90 = meanOf(events, coverage);
  yield;
  const coverage90Interval = yield* intervalOf(events, coverage);
  const reliability = yield* reliabilityOf(forecasts);
  const [, worst] = log.market.interval ?? [];
  const isComparable = origin === 'live' && priced.size >= LEAST_AGAINST.market;
  return {
    origin,
    account,
    horizon: horizonHours,
    n: scores.length,
    n_events: events.length,
    n_market: priceCount,
    coverage90,
    coverage90_interval: coverage90Interval,
    pit_mean: round4(mean(pits)),
    pit_distance: pits.length === 0 ? null : round4(distanceFromUniform(pits)),
    crps: crps.model,
    crps_pace: crps.pace.score,
    crps_difference_pace: crps.pace.difference,
    crps_difference_pace_interval: crps.pace.interval,
    crps_market: crps.market.score,
    crps_difference_market: crps.market.difference,
    crps_difference_market_interval: crps.market.interval,
    log_score: log.model,
    log_score_pace: log.pace.score,
    log_score_difference_pace: log.pace.difference,
    log_score_difference_pace_interval: log.pace.interval,
    log_score_market: log.market.score,
    log_score_difference_market: log.market.difference,
    log_score_difference_market_interval: log.market.interval,
    brier: brier.model,
    brier_pace: brier.pace.score,
    brier_difference_pace: brier.pace.difference,
    brier_difference_pace_interval: brier.pace.interval,
    brier_market: brier.market.score,
    brier_difference_market: brier.market.difference,
    brier_difference_market_interval: brier.market.interval,
    same_instants: same,
    no_demonstrated_edge: !isComparable || (worst ?? 0) >= 0,
    reliability,
  };
}

/** A score of the model and its rivals, and the model's difference from each where both have the score. */
function* compare(events: readonly (readonly ScoreRecord[])[], loss: Loss) {
  function* against(rival: 'pace' | 'market') {
    const difference = differenceOf(loss, rival);
    yield;
    const score = meanOf(events, ({ [rival]: other }) => other && loss(other));
    yield;
    const mean = meanOf(events, difference);
    yield;
    return { score, difference: mean, interval: yield* intervalOf(events, difference) };
  }
  yield;
  return {
    model: meanOf(events, ({ model }) => loss(model)),
    pace: yield* against('pace'),
    market: yield* against('market'),
  };
}

/** Model minus rival; null where one of them has no score. */
function differenceOf(loss: Loss, rival: 'pace' | 'market'): Measure {
  return ({ model, [rival]: other }) => {
    const ours = loss(model);
    const theirs = other && loss(other);
    return ours === null || theirs === null ? null : ours - theirs;
  };
}

/** The scores by event, as forecasts of one event are not independent samples. */
function eventsOf(scores: readonly ScoreRecord[]): readonly (readonly ScoreRecord[])[] {
  const events = new Map<number, ScoreRecord[]>();
  for (const score of scores) {
    const event = events.get(score.eventId);
    if (event === undefined) events.set(score.eventId, [score]);
    else event.push(score);
  }
  return [...events.values()];
}

function coverage({ model }: ScoreRecord): number | null {
  return model.isCovered === null ? null : Number(model.isCovered);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean over the forecasts of each event; events without the measure are left out. */
function eventMeans(events: readonly (readonly ScoreRecord[])[], measure: Measure): readonly number[] {
  const means: number[] = [];
  for (const scores of events) {
    let sum = 0;
    let n = 0;
    for (const score of scores) {
      const value = measure(score);
      if (value === null) continue;
      sum += value;
      n += 1;
    }
    if (n > 0) means.push(sum / n);
  }
  return means;
}

function meanOf(events: readonly (readonly ScoreRecord[])[], measure: Measure): number | null {
  return round4(mean(eventMeans(events, measure)));
}

function* intervalOf(
  events: readonly (readonly ScoreRecord[])[],
  measure: Measure,
): Generator<void, Interval> {
  const means = eventMeans(events, measure);
  const interval = yield* meanInterval(means);
  return interval && [round4(interval[0]), round4(interval[1])];
}

/** Forecasts whose buckets are counted in one step. */
const PER_STEP = 100;

/** The share of winners among the buckets of each tenth of probability. Empty tenths are left out. */
function* reliabilityOf(forecasts: readonly ScoredForecast[]) {
  const bins = Array.from({ length: BINS }, () => ({ n: 0, prob: 0, won: 0 }));
  for (const [place, { probs, won }] of forecasts.entries()) {
    if (place % PER_STEP === 0) yield;
    for (const [index, prob] of probs.entries()) {
      const bin = bins[Math.min(BINS - 1, Math.floor(prob * BINS))];
      if (bin === undefined) continue;
      bin.n += 1;
      bin.prob += prob;
      bin.won += index === won ? 1 : 0;
    }
  }
  return bins.flatMap(({ n, prob, won }, index) =>
    n === 0
      ? []
      : [
          {
            from: index / BINS,
            to: (index + 1) / BINS,
            n,
            mean_prob: round4(prob / n),
            won_share: round4(won / n),
          },
        ],
  );
}
