import type {
  Bucket,
  Counters,
  PredictedBucket,
  Prediction,
  Price,
  Velocity,
} from '../../../streams/internal.ts';
import { includes, type Tier } from '../../access/tiers.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { predictionMarketRecord, predictionRecord } from '../../contract/records/prediction.ts';
import type { ActiveEvent } from '../active-events.ts';
import { round4 } from '../round.ts';
import { signalOf } from './bucket-signal.ts';
import { countersToWire } from './counters-fields.ts';
import { distributionToWire } from './distribution.ts';

export interface PredictionFacts {
  readonly event: ActiveEvent['record'];
  readonly counters: Counters | undefined;
  /** The event's newest live forecast, if one was made yet. */
  readonly prediction: Prediction | undefined;
  /** Given for the account whose record has it. */
  readonly velocity: Velocity | undefined;
  readonly priceOf: (token: string) => Price | undefined;
  readonly tier: Tier;
}

type PredictionRecord = RecordOf<typeof predictionRecord>;

/**
 * An event under the names of spec 2.4, without the time left. What only paying callers see is absent for others,
 * and absent for everyone until it is first known.
 */
export function predictionToWire(facts: PredictionFacts): Omit<PredictionRecord, 'seconds_remaining'> {
  const isPaid = includes(facts.tier, 'PRO');
  const real = facts.counters?.real ?? null;
  const prediction = isPaid ? facts.prediction : undefined;
  const areStale = facts.counters?.stale.includes('prices') ?? false;
  const predicted = new Map(prediction?.buckets.map((bucket) => [rangeKey(bucket), bucket]));
  return {
    ...countersToWire(facts.event, facts.counters),
    ...(isPaid && facts.velocity ? velocityToWire(facts.velocity) : {}),
    ...(prediction ? forecastToWire(prediction, real) : {}),
    markets: facts.event.buckets.map((bucket) => {
      const market = marketToWire(bucket, facts.priceOf(bucket.yesToken));
      const model = predicted.get(rangeKey(bucket));
      return model
        ? { ...market, ...edgeToWire(model, real, areStale ? null : market.market_price) }
        : market;
    }),
  };
}

/** A forecast may be older than the market's present buckets: only a bucket of the very same range is the same one. */
function rangeKey({ lo, hi }: Pick<Bucket, 'lo' | 'hi'>): string {
  return `${lo} ${hi}`;
}

function velocityToWire({ counted1h, all1h }: Velocity) {
  return { velocity_counted_1h: counted1h, velocity_all_1h: all1h };
}

/** A post may have come since the forecast was made: no final count below the present one is told. */
function forecastToWire(prediction: Prediction, real: number | null) {
  const least = real ?? 0;
  const { p5, p50, p95 } = prediction;
  return {
    forecast: { p5: Math.max(least, p5), p50: Math.max(least, p50), p95: Math.max(least, p95) },
    sleep_probability: round4(prediction.sleepProbability),
    model_version: prediction.modelVersion,
    forecast_id: prediction.forecastId,
    forecast_ts: prediction.madeAt,
    distribution: distributionToWire(prediction.quantiles, least),
    flip_risk: round4(prediction.flipRisk),
    moved: prediction.moved.map(({ cause, p50: posts }) => ({ cause, p50: posts })),
  };
}

function marketToWire(
  { title, yesToken, lo, hi }: Bucket,
  price: Price | undefined,
): RecordOf<typeof predictionMarketRecord> {
  return {
    title,
    market_price: round4(price?.price ?? null),
    token_id: yesToken,
    lo,
    hi,
    price_ts: price?.at ?? null,
    price_kind: price?.priceKind ?? null,
  };
}

/** From the published figures, so that whoever subtracts them finds the same edge. */
function edgeToWire({ prob, hi }: PredictedBucket, real: number | null, price: number | null) {
  const isDead = hi !== null && real !== null && hi < real;
  const modelProb = isDead ? 0 : round4(prob);
  const edge = modelProb === null || price === null ? null : round4(modelProb - price);
  return { model_prob: modelProb, edge, signal: signalOf(edge) };
}
