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
import { pricesOf, secondsLeft } from '../active-events.ts';
import { type AgeLimits, agesOf, lateInputs, newest, type Origin, staleNow } from '../as-of.ts';
import type { Latest, OutputOf } from '../latest.ts';
import { tickAt } from '../record-view.ts';

/** Where and when one account is looked at. */
export interface View {
  readonly latest: Latest;
  readonly account: AccountId;
  readonly nowMs: number;
  readonly staleAfterMs: AgeLimits;
}

/** What is known of an active event at one instant: all that a portfolio is compared with. */
export interface EventFacts {
  readonly event: EventRecord;
  readonly counters: Counters | undefined;
  /** The newest live forecast, if one was made yet. */
  readonly prediction: Prediction | undefined;
  readonly velocity: Velocity | undefined;
  /** Of a bucket's Yes token; null while unknown or stale. */
  readonly yesPriceOf: (bucket: Bucket) => number | null;
  readonly stale: readonly Input[];
  /** Neither the posts nor the forecast made of them are old, so that a size may be given. */
  readonly isModelFresh: boolean;
  /** Whether the model has shown skill this long before the close; without it signals skip the event. */
  readonly isProven: boolean;
  readonly secondsRemaining: number;
  readonly origin: Origin;
}

/** Forecasts are made each minute. Signals skip an event whose newest forecast is older than this, too. */
const OLD_FORECAST_MS = 5 * MINUTE_MS;

export function eventFacts(output: OutputOf<'events'>, view: View): EventFacts {
  const { latest, account, nowMs, staleAfterMs } = view;
  const { key, record: event } = output;
  const counters = latest.get('counters', key);
  const prediction = latest.get('predictions', key);
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
