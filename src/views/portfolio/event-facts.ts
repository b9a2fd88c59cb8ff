import {
  type AccountId,
  type Bucket,
  type Counters,
  type EventRecord,
  type EventSignals,
  type Input,
  type Prediction,
  skipStale,
  type Velocity,
} from '../../../streams/internal.ts';
import { forecastOf, pricesOf, secondsLeft } from '../active-events.ts';
import { type AgeLimits, agesOf, lateInputs, newest, type Origin, ofRecord, staleNow } from '../as-of.ts';
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
  /** What to buy and sell, with the inputs that are late by now; undefined before the first signals. */
  readonly signals: EventSignals | undefined;
  /** Whether the model's figures of a bucket are recent enough to be compared with its price. */
  readonly isComparable: (bucket: Bucket) => boolean;
  readonly secondsRemaining: number;
  readonly origin: Origin;
}

export function eventFacts(output: OutputOf<'events'>, moment: AccountMoment): EventFacts {
  const { latest, account, nowMs, staleAfterMs } = moment;
  const { key, record: event } = output;
  const counters = latest.get('counters', key);
  const prediction = forecastOf(latest, output);
  const velocity = latest.get('velocity', account);
  const advice = latest.get('signals', key);
  const prices = pricesOf(latest, event);
  const late = ofRecord(lateInputs(agesOf(latest, nowMs, account), staleAfterMs), key);
  const stale = staleNow(counters?.record.stale ?? [], late);
  const signals = advice && skipStale(advice.record, stale);
  const known = new Set(signals?.buckets.flatMap(({ prob, token }) => (prob === null ? [] : [token])));
  return {
    event,
    counters: counters?.record,
    prediction: prediction?.record,
    velocity: velocity?.record,
    yesPriceOf: ({ yesToken }) =>
      stale.includes('prices') ? null : (prices.get(yesToken)?.record.price ?? null),
    stale,
    signals,
    isComparable: ({ yesToken }) => known.has(yesToken) && !stale.includes('prices'),
    secondsRemaining: secondsLeft(event, tickAt(latest)),
    origin: newest(output, counters, prediction, advice, velocity, ...prices.values()),
  };
}
