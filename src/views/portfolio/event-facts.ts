import {
  type AccountId,
  type Bucket,
  type Counters,
  type EventRecord,
  type Input,
  MINUTE_MS,
  type Prediction,
  type Velocity,
} from '../../../streams/internal.ts';
import { forecastOf, pricesOf, secondsLeft } from '../active-events.ts';
import { type AgeLimits, agesOf, lateInputs, newest, type Origin, staleNow } from '../as-of.ts';
import type { Latest, OutputOf } from '../latest.ts';
import { tickAt } from '../record-view.ts';

/** An account at one instant. */
export interface AccountMoment {
  readonly latest: Latest;
  readonly account: AccountId;
  readonly nowMs: number;
  readonly staleAfterMs: AgeLimits;
}

/** The values of an active event at one instant, with which a portfolio is compared. */
export interface EventFacts {
  readonly event: EventRecord;
  readonly counters: Counters | undefined;
  /** The newest live forecast, if there is one. */
  readonly prediction: Prediction | undefined;
  readonly velocity: Velocity | undefined;
  /** The price of a bucket's Yes token; null while it is unknown or stale. */
  readonly yesPriceOf: (bucket: Bucket) => number | null;
  readonly stale: readonly Input[];
  /** Whether posts and forecast are recent enough to size positions. */
  readonly isModelFresh: boolean;
  /** Whether the model has been shown to be better than the market this long before the close. */
  readonly isProven: boolean;
  readonly secondsRemaining: number;
  readonly origin: Origin;
}

/** Forecasts are made each minute. Signals skip an event whose newest forecast is older than this, too. */
const OLD_FORECAST_MS = 5 * MINUTE_MS;

export function eventFacts(output: OutputOf<'events'>, moment: AccountMoment): EventFacts {
  const { latest, account, nowMs, staleAfterMs } = moment;
  const { key, record: event } = output;
  const counters = latest.get('counters', key);
  const prediction = forecastOf(latest, output);
  const velocity = latest.get('velocity', account);
  const prices = pricesOf(latest, event);
  const late = lateInputs(agesOf(latest, nowMs, account), staleAfterMs);
  const stale = staleNow(counters?.record.stale ?? [], late);
  const at = tickAt(latest);
  return {
    event,
    counters: counters?.record,
    prediction: prediction?.record,
    velocity: velocity?.record,
    yesPriceOf: ({ yesToken }) =>
      stale.includes('prices') ? null : (prices.get(yesToken)?.record.price ?? null),
    stale,
    isModelFresh: !stale.includes('posts') && !isOld(prediction?.record, at),
    isProven: latest.get('signals', key)?.record.track.isProven ?? false,
    secondsRemaining: secondsLeft(event, at),
    origin: newest(output, counters, prediction, velocity, ...prices.values()),
  };
}

function isOld(prediction: Prediction | undefined, at: number): boolean {
  return prediction === undefined || at - prediction.madeAt > OLD_FORECAST_MS;
}
