import {
  distanceFromUniform,
  LEAST_AGAINST,
  type Score,
  type ScoreRecord,
} from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { calibrationGroupRecord } from '../../contract/records/calibration.ts';
import { round4 } from '../round.ts';
import { byEvent, EVENTS_PER_STEP, FORECASTS_PER_STEP, partsOf, sortedInSteps } from './in-steps.ts';
import { meanInterval } from './mean-interval.ts';
import { sameInstants } from './same-instants.ts';
import type { ScoredForecast, ScoreGroup } from './scores.ts';

type Interval = readonly [low: number | null, high: number | null] | null;
type Measure = (score: ScoreRecord) => number | null;
/** The scores by event, as forecasts of one event are not independent samples. */
type Events = readonly (readonly ScoreRecord[])[];

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
  const events = yield* byEvent(scores, ({ eventId }) => eventId);
  const crps = yield* compare(events, (score) => score.crps);
  const log = yield* compare(events, (score) => score.logScore);
  const brier = yield* compare(events, (score) => score.brier);
  const same = yield* sameInstants(forecasts);
  const covered = yield* summaryOf(events, coverage);
  const pits = yield* pitsOf(scores);
  const prices = yield* pricedIn(scores);
  const reliability = yield* reliabilityOf(forecasts);
  const [, worst] = log.market.interval ?? [];
  const isComparable = origin === 'live' && prices.events >= LEAST_AGAINST.market;
  return {
    origin,
    account,
    horizon: horizonHours,
    n: scores.length,
    n_events: events.length,
    n_market: prices.forecasts,
    coverage90: covered.mean,
    coverage90_interval: covered.interval,
    pit_mean: pits.mean,
    pit_distance: pits.distance,
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
function* compare(events: Events, loss: Loss) {
  function* against(rival: 'pace' | 'market') {
    const score = yield* eventMeans(events, ({ [rival]: other }) => other && loss(other));
    const difference = yield* summaryOf(events, differenceOf(loss, rival));
    return { score: round4(mean(score)), difference: difference.mean, interval: difference.interval };
  }
  const model = yield* eventMeans(events, ({ model }) => loss(model));
  return { model: round4(mean(model)), pace: yield* against('pace'), market: yield* against('market') };
}

/** Model minus rival; null where one of them has no score. */
function differenceOf(loss: Loss, rival: 'pace' | 'market'): Measure {
  return ({ model, [rival]: other }) => {
    const ours = loss(model);
    const theirs = other && loss(other);
    return ours === null || theirs === null ? null : ours - theirs;
  };
}

function coverage({ model }: ScoreRecord): number | null {
  return model.isCovered === null ? null : Number(model.isCovered);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean over the forecasts of each event; events without the measure are left out. */
function* eventMeans(events: Events, measure: Measure): Generator<void, readonly number[]> {
  const means: number[] = [];
  for (const part of partsOf(events, EVENTS_PER_STEP)) {
    yield;
    for (const scores of part) {
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
  }
  return means;
}

/** The mean of a measure over events, and its 95 % interval. */
function* summaryOf(
  events: Events,
  measure: Measure,
): Generator<void, { readonly mean: number | null; readonly interval: Interval }> {
  const means = yield* eventMeans(events, measure);
  const interval = yield* meanInterval(means);
  return { mean: round4(mean(means)), interval: interval && [round4(interval[0]), round4(interval[1])] };
}

/** Where the results lay in their forecasts, which is spread evenly from 0 to 1 if these are right. */
function* pitsOf(scores: readonly ScoreRecord[]) {
  const pits: number[] = [];
  for (const part of partsOf(scores)) {
    yield;
    for (const { model } of part) if (model.pit !== null) pits.push(model.pit);
  }
  const ascending = yield* sortedInSteps(pits, (a, b) => a - b);
  return {
    mean: round4(mean(ascending)),
    distance: ascending.length === 0 ? null : round4(distanceFromUniform(ascending)),
  };
}

/** How many forecasts the market had prices for, and of how many events these are. */
function* pricedIn(scores: readonly ScoreRecord[]) {
  const events = new Set<number>();
  let forecasts = 0;
  for (const part of partsOf(scores)) {
    yield;
    for (const { eventId, market } of part) {
      if (market === null) continue;
      events.add(eventId);
      forecasts += 1;
    }
  }
  return { events: events.size, forecasts };
}

/** The share of winners among the buckets of each tenth of probability. Empty tenths are left out. */
function* reliabilityOf(forecasts: readonly ScoredForecast[]) {
  const bins = Array.from({ length: BINS }, () => ({ n: 0, prob: 0, won: 0 }));
  for (const part of partsOf(forecasts, FORECASTS_PER_STEP)) {
    yield;
    for (const { probs, won } of part) {
      // By index: with many accounts there are a million buckets, and an iterator makes two objects for each of them.
      for (let index = 0; index < probs.length; index++) {
        const prob = probs[index] ?? 0;
        const bin = bins[Math.min(BINS - 1, Math.floor(prob * BINS))];
        if (bin === undefined) continue;
        bin.n += 1;
        bin.prob += prob;
        bin.won += index === won ? 1 : 0;
      }
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
