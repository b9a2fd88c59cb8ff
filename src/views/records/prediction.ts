import {
  actionFor,
  type Bettor,
  type Bucket,
  type BucketSignal,
  type Counters,
  type EventSignals,
  type Prediction,
  type Price,
  skipStale,
  USUAL_BETTOR,
  type Velocity,
} from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { predictionMarketRecord, predictionRecord } from '../../contract/records/prediction.ts';
import type { AccountPath } from '../account-path.ts';
import {
  type ActiveEvent,
  forecastOf,
  movedByEvents,
  postEvents,
  pricesOf,
  secondsLeft,
} from '../active-events.ts';
import { newest, openText, staleNow } from '../as-of.ts';
import { keepingTexts } from '../kept-text.ts';
import { modelProb } from '../model-prob.ts';
import type { RecordView } from '../record-view.ts';
import { round4 } from '../round.ts';
import { signalOf } from './bucket-signal.ts';
import { countersToWire } from './counters.ts';
import { distributionToWire } from './distribution.ts';
import { type ShownFields, shownFields } from './shown-fields.ts';
import { createSleepCause } from './sleep-cause.ts';
import { velocityToWire } from './velocity.ts';

/** Forecast, prices and edges of each active event: GET /prediction/{account} and the channel `prediction`. */
export function predictionView(account: AccountPath): RecordView {
  const { id, policy } = account;
  const { FREE, PRO, paidStreams } = shownFields(policy);
  const tiers = { FREE: withForecastText(FREE), PRO: withForecastText(PRO) };
  const events = postEvents(account);
  const bettor = { ...USUAL_BETTOR, isBuyOnly: policy.isBuyOnly };

  return {
    audiences: 'tier',
    listsStale: true,
    hasAsOf: true,
    eventsAbout: 'posts',
    movedBy: {
      events: movedByEvents,
      counters: ({ key, record }) => (record.account === id ? [key] : undefined),
      prices: events.pricedKeys,
      // Forecasts to be scored have other keys and are not shown.
      predictions: ({ key, record }) =>
        record.account === id && key === String(record.eventId) ? [key] : undefined,
      signals: ({ key, record }) => (record.account === id ? [key] : undefined),
      velocity: ({ record }) => (policy.hasVelocity && record.account === id ? events.keys : undefined),
    },
    paidStreams,
    keys: events.keys,
    createExtraCause: createSleepCause,
    render({ latest, late }, key, { tier }) {
      const event = events.find(latest, key);
      if (event === undefined) return undefined;
      const counters = latest.get('counters', key);
      const prices = pricesOf(latest, event.record);
      const { shown, forecastText } = tiers[tier];
      const prediction = shown.streams.has('predictions') ? forecastOf(latest, event) : undefined;
      const signals = shown.streams.has('signals') ? latest.get('signals', key) : undefined;
      const velocity = shown.streams.has('velocity') ? latest.get('velocity', id) : undefined;
      const text = predictionText({
        event: event.record,
        counters: counters && { ...counters.record, stale: staleNow(counters.record.stale, late) },
        prediction: prediction?.record,
        signals: signals && skipStale(signals.record, staleNow([], late)),
        bettor,
        velocity: velocity?.record,
        priceOf: (token: string) => prices.get(token)?.record,
        shown,
        forecastText,
      });
      const origin = newest(event, counters, prediction, signals, velocity, ...prices.values());
      // The remaining time comes first, so that the rest need not be rendered each second.
      const rest = openText(text, origin).slice(1);
      return ({ tickAt }) => `{"seconds_remaining":${secondsLeft(event.record, tickAt)},${rest}`;
    },
  };
}

interface PredictionFacts extends ShownPrediction {
  readonly event: ActiveEvent['record'];
  readonly counters: Counters | undefined;
  /** The event's newest live forecast, if there is one. */
  readonly prediction: Prediction | undefined;
  /** Undefined before the first. */
  readonly signals: EventSignals | undefined;
  readonly bettor: Bettor;
  readonly velocity: Velocity | undefined;
  readonly priceOf: (token: string) => Price | undefined;
}

/** What readers of a tier see. */
interface ShownPrediction {
  readonly shown: ShownFields;
  /** The JSON text of the fields of a forecast, which follow others. It stays the same for a minute, while prices change. */
  readonly forecastText: (prediction: Prediction, oracle: number | null) => string;
}

function withForecastText(shown: ShownFields): ShownPrediction {
  const forecastText = keepingTexts((prediction: Prediction, oracle: number | null) =>
    furtherFields(shown.pick(forecastToWire(prediction, oracle))),
  );
  return { shown, forecastText };
}

/** The JSON text of a market without its edge and its last brace. Most prices change one market of many. */
const marketText = keepingTexts((bucket: Bucket, price: Price | undefined) =>
  JSON.stringify(marketToWire(bucket, price)).slice(0, -1),
);

type PredictionRecord = RecordOf<typeof predictionRecord>;
type MarketRecord = RecordOf<typeof predictionMarketRecord>;

/**
 * The JSON text of an event (spec 2.4) without the remaining time and the last brace. PRO fields are absent for other tiers,
 * unless the account shows them to everyone, and null until they are known.
 */
function predictionText(facts: PredictionFacts): string {
  const { event, counters, prediction, signals, priceOf, shown, forecastText } = facts;
  const predicted = new Map(prediction?.buckets.map((bucket) => [rangeKey(bucket), bucket]));
  const decided = new Map(signals?.buckets.map((bucket) => [bucket.token, bucket]));
  const noEdge = furtherFields(shown.pick(NO_EDGE));
  const markets = event.buckets.map((bucket) => {
    const model = predicted.get(rangeKey(bucket));
    const edge =
      prediction === undefined || model === undefined
        ? noEdge
        : furtherFields(
            shown.pick({
              model_prob: round4(modelProb(model, prediction, counters)),
              ...edgeOf(decided.get(bucket.yesToken), facts),
            }),
          );
    return `${marketText(bucket, priceOf(bucket.yesToken))}${edge}}`;
  });
  const fields =
    JSON.stringify(countersToWire(event, counters) satisfies Partial<PredictionRecord>).slice(0, -1) +
    furtherFields(shown.pick(velocityToWire(facts.velocity))) +
    (prediction === undefined
      ? furtherFields(shown.pick(NO_FORECAST))
      : forecastText(prediction, counters?.oracle ?? null));
  return `${fields},"markets":[${markets.join(',')}]`;
}

/** The JSON text of fields that follow others. */
function furtherFields(fields: Partial<PredictionRecord & MarketRecord>): string {
  const text = JSON.stringify(fields);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
}

function edgeOf(
  bucket: BucketSignal | undefined,
  { signals, bettor }: PredictionFacts,
): Pick<MarketRecord, 'edge' | 'signal'> {
  if (bucket === undefined || signals === undefined) return { edge: null, signal: null };
  const { edge, edgeNet } = bucket;
  return { edge, signal: signalOf({ action: actionFor(bucket, signals, bettor), edge, edgeNet }) };
}

/** Before the first forecast of the event. */
const NO_FORECAST = {
  forecast: null,
  settlement: null,
  sleep_probability: null,
  model_version: null,
  forecast_id: null,
  forecast_ts: null,
  distribution: null,
  flip_risk: null,
  moved: null,
};
const NO_EDGE = { model_prob: null, edge: null, signal: null };

/** The market may have changed its buckets since the forecast, so only equal ranges match. */
function rangeKey({ lo, hi }: Pick<Bucket, 'lo' | 'hi'>): string {
  return `${lo} ${hi}`;
}

/** Counts are at least the oracle's present one, as it may have grown since the forecast. */
function forecastToWire(prediction: Prediction, oracle: number | null) {
  const least = oracle ?? 0;
  const { p5, p50, p95, settlement } = prediction;
  return {
    forecast: { p5: Math.max(least, p5), p50: Math.max(least, p50), p95: Math.max(least, p95) },
    // A row of an older program has none.
    settlement: settlement
      ? { offset_p5: settlement.p5, offset_p50: settlement.p50, offset_p95: settlement.p95 }
      : null,
    sleep_probability: round4(prediction.sleepProbability),
    model_version: prediction.modelVersion,
    forecast_id: prediction.forecastId,
    forecast_ts: prediction.madeAt,
    distribution: distributionToWire(prediction.quantiles, least),
    flip_risk: round4(prediction.flipRisk),
    moved: prediction.moved.map(({ cause, p50: posts }) => ({ cause, p50: posts })),
  };
}

function marketToWire({ title, yesToken, lo, hi }: Bucket, price: Price | undefined): MarketRecord {
  return {
    title,
    market_price: round4(price?.price ?? null),
    token_id: yesToken,
    lo,
    hi,
    price_ts: price?.at ?? null,
    price_kind: price?.priceKind ?? null,
    best_bid: round4(price?.bid ?? null),
    best_ask: round4(price?.ask ?? null),
    bid_size: round4(price?.bidSize ?? null),
    ask_size: round4(price?.askSize ?? null),
  };
}
