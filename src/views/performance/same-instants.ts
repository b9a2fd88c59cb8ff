import { logPool, logScore } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { sameInstantsRecord } from '../../contract/records/calibration.ts';
import { round4 } from '../round.ts';
import { byEvent, EVENTS_PER_STEP, FORECASTS_PER_STEP, partsOf } from './in-steps.ts';
import { meanInterval } from './mean-interval.ts';
import type { ScoredForecast } from './scores.ts';

type Side = 'model' | 'market' | 'pool';

/** What the three scored at one instant. */
interface Compared {
  readonly eventId: number;
  readonly log: Readonly<Record<Side, number>>;
  readonly brier: Readonly<Record<Side, number>>;
}

/** A mean over events, and its 95 % interval. */
interface Measured {
  readonly mean: number | null;
  readonly interval: readonly [number | null, number | null] | null;
}

/** Model, market and their pool where all three are known, each event counting once; null without any. In small steps. */
export function* sameInstants(
  forecasts: readonly ScoredForecast[],
): Generator<void, RecordOf<typeof sameInstantsRecord> | null> {
  const compared: Compared[] = [];
  for (const part of partsOf(forecasts, FORECASTS_PER_STEP)) {
    yield;
    for (const forecast of part) {
      const one = comparedOf(forecast);
      if (one !== null) compared.push(one);
    }
  }
  if (compared.length === 0) return null;
  const events = yield* byEvent(compared, ({ eventId }) => eventId);
  function* meansOf(of: (one: Compared) => number): Generator<void, readonly number[]> {
    const means: number[] = [];
    for (const part of partsOf(events, EVENTS_PER_STEP)) {
      yield;
      for (const own of part) means.push(own.reduce((sum, one) => sum + of(one), 0) / own.length);
    }
    return means;
  }
  const meanOf = (means: readonly number[]) =>
    round4(means.reduce((sum, value) => sum + value, 0) / means.length);
  function* measure(of: (one: Compared) => number): Generator<void, Measured> {
    const means = yield* meansOf(of);
    const interval = yield* meanInterval(means);
    return {
      mean: meanOf(means),
      interval: interval && ([round4(interval[0]), round4(interval[1])] as const),
    };
  }
  function* scores(kind: 'log' | 'brier') {
    return {
      model: meanOf(yield* meansOf((one) => one[kind].model)),
      market: meanOf(yield* meansOf((one) => one[kind].market)),
      pool: meanOf(yield* meansOf((one) => one[kind].pool)),
      modelLessMarket: yield* measure((one) => one[kind].model - one[kind].market),
      poolLessMarket: yield* measure((one) => one[kind].pool - one[kind].market),
      poolLessModel: yield* measure((one) => one[kind].pool - one[kind].model),
    };
  }
  const log = yield* scores('log');
  const brier = yield* scores('brier');
  return {
    n: compared.length,
    n_events: events.length,
    log_score: log.model,
    log_score_market: log.market,
    log_score_pool: log.pool,
    log_score_model_less_market: log.modelLessMarket.mean,
    log_score_model_less_market_interval: log.modelLessMarket.interval,
    log_score_pool_less_market: log.poolLessMarket.mean,
    log_score_pool_less_market_interval: log.poolLessMarket.interval,
    log_score_pool_less_model: log.poolLessModel.mean,
    log_score_pool_less_model_interval: log.poolLessModel.interval,
    brier: brier.model,
    brier_market: brier.market,
    brier_pool: brier.pool,
    brier_model_less_market: brier.modelLessMarket.mean,
    brier_model_less_market_interval: brier.modelLessMarket.interval,
    brier_pool_less_market: brier.poolLessMarket.mean,
    brier_pool_less_market_interval: brier.poolLessMarket.interval,
    brier_pool_less_model: brier.poolLessModel.mean,
    brier_pool_less_model_interval: brier.poolLessModel.interval,
  };
}

/** All three are scored alike, from the published row. */
function comparedOf({ score, probs, market, wonPlace }: ScoredForecast): Compared | null {
  if (market.length === 0) return null;
  const pool = logPool(probs, market);
  if (pool === null) return null;
  const each = (of: (probabilities: ArrayLike<number>) => number) => ({
    model: of(probs),
    market: of(market),
    pool: of(pool),
  });
  return {
    eventId: score.eventId,
    log: each((probabilities) => logScore(probabilities[wonPlace] ?? 0)),
    brier: each((probabilities) => brierOf(probabilities, wonPlace)),
  };
}

function brierOf(probabilities: ArrayLike<number>, won: number): number {
  let sum = 0;
  for (let place = 0; place < probabilities.length; place++) {
    const difference = (probabilities[place] ?? 0) - (place === won ? 1 : 0);
    sum += difference * difference;
  }
  return sum;
}
