import type { Bucket, Counters, EventRecord, Input, Percentiles, Price } from '../../streams/internal.ts';
import type { ALERT_FIGURES, AlertFigureName } from '../contract/alert-figures.ts';
import { isForecastOf } from '../views/active-events.ts';
import { modelProb } from '../views/model-prob.ts';
import { round4 } from '../views/round.ts';
import type { Known, WatchedStream } from './known.ts';

/** Reads a figure of an account; null while it is unknown. */
type OfAccount = (known: Known, account: string) => number | null;
type OfEvent = (known: Known, event: EventRecord) => number | null;
type OfBucket = (known: Known, event: EventRecord, bucket: Bucket) => number | null;

interface Figures {
  readonly account: OfAccount;
  readonly event: OfEvent;
  readonly bucket: OfBucket;
}

/** How a figure is read, and the streams that change it. */
type Reader = {
  readonly [Of in keyof Figures]: {
    readonly of: Of;
    readonly movedBy: readonly WatchedStream[];
    readonly read: Figures[Of];
  };
}[keyof Figures];

type ReaderOf<Name extends AlertFigureName> = Extract<
  Reader,
  { readonly of: (typeof ALERT_FIGURES)[Name]['of'] }
>;

const counters = (read: (counters: Counters) => number | null) =>
  ({
    of: 'event',
    movedBy: ['counters'],
    read: (known, { eventId }) => {
      const found = known.get('counters', String(eventId));
      return found === undefined ? null : read(found.record);
    },
  }) as const satisfies Reader;

const stale = (input: Input) => counters((each) => (each.stale.includes(input) ? 1 : 0));

function forecastOf(known: Known, event: EventRecord) {
  const record = known.get('predictions', String(event.eventId))?.record;
  return record !== undefined && isForecastOf(event, record) ? record : undefined;
}

/** A percentile is at least the oracle's present count, which may have grown since the forecast. */
const percentile = (name: 'p5' | 'p50' | 'p95') =>
  ({
    of: 'event',
    movedBy: ['events', 'counters', 'predictions'],
    read: (known, event) => {
      const forecast = forecastOf(known, event);
      const oracle = known.get('counters', String(event.eventId))?.record.oracle ?? 0;
      return forecast === undefined ? null : Math.max(oracle, forecast[name]);
    },
  }) as const satisfies Reader;

const forecast = (name: 'sleepProbability' | 'flipRisk') =>
  ({
    of: 'event',
    movedBy: ['events', 'predictions'],
    read: (known, event) => round4(forecastOf(known, event)?.[name] ?? null),
  }) as const satisfies Reader;

const price = (name: keyof Pick<Price, 'bid' | 'ask' | 'price'>) =>
  ({
    of: 'bucket',
    movedBy: ['prices'],
    read: (known, _event, { yesToken }) => round4(known.get('prices', yesToken)?.record[name] ?? null),
  }) as const satisfies Reader;

const probability: OfBucket = (known, event, { lo, hi }) => {
  const forecast = forecastOf(known, event);
  const predicted = forecast?.buckets.find((each) => each.lo === lo && each.hi === hi);
  if (forecast === undefined || predicted === undefined) return null;
  return round4(modelProb(predicted, forecast, known.get('counters', String(event.eventId))?.record));
};

const marketPrice = price('price');

const lag = (of: 'seen' | 'oracle' | 'ui', name: keyof Omit<Percentiles, 'n'>) =>
  ({
    of: 'account',
    movedBy: ['lag'],
    read: (known, account) => known.get('lag', account)?.record[of][name] ?? null,
  }) as const satisfies Reader;

const velocity = (name: 'counted1h' | 'all1h') =>
  ({
    of: 'account',
    movedBy: ['velocity'],
    read: (known, account) => known.get('velocity', account)?.record[name] ?? null,
  }) as const satisfies Reader;

/** Every figure as the records of the interface show it. */
const READERS: { readonly [Name in AlertFigureName]: ReaderOf<Name> } = {
  market_oracle_counter: counters(({ oracle }) => oracle),
  real_counter: counters(({ real }) => real),
  market_ui_counter: counters(({ ui }) => ui),
  settlement_delta: counters(({ settlementDelta }) => settlementDelta),
  display_delta: counters(({ displayDelta }) => displayDelta),
  internal_delta: counters(({ internalDelta }) => internalDelta),
  deleted_count: counters(({ deleted }) => deleted),
  history_percent: counters(({ historyPercent }) => historyPercent),
  stale_inputs: counters(({ stale: inputs }) => inputs.length),
  stale_posts: stale('posts'),
  stale_oracle: stale('oracle'),
  stale_ui: stale('ui'),
  stale_prices: stale('prices'),
  p5: percentile('p5'),
  p50: percentile('p50'),
  p95: percentile('p95'),
  sleep_probability: forecast('sleepProbability'),
  flip_risk: forecast('flipRisk'),
  model_prob: { of: 'bucket', movedBy: ['events', 'counters', 'predictions'], read: probability },
  market_price: marketPrice,
  best_bid: price('bid'),
  best_ask: price('ask'),
  edge: {
    of: 'bucket',
    movedBy: ['events', 'counters', 'predictions', 'prices'],
    read: (known, event, bucket) => {
      const prob = probability(known, event, bucket);
      const paid = marketPrice.read(known, event, bucket);
      return prob === null || paid === null ? null : round4(prob - paid);
    },
  },
  velocity_counted_1h: velocity('counted1h'),
  velocity_all_1h: velocity('all1h'),
  seen_p50_ms: lag('seen', 'p50'),
  seen_p90_ms: lag('seen', 'p90'),
  seen_p99_ms: lag('seen', 'p99'),
  oracle_p50_ms: lag('oracle', 'p50'),
  oracle_p90_ms: lag('oracle', 'p90'),
  oracle_p99_ms: lag('oracle', 'p99'),
  ui_p50_ms: lag('ui', 'p50'),
  ui_p90_ms: lag('ui', 'p90'),
  ui_p99_ms: lag('ui', 'p99'),
};

export function readerOf(name: AlertFigureName): Reader {
  return READERS[name];
}
