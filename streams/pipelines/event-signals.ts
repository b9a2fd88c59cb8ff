import { asymmetryEdge } from '../model/asymmetry.ts';
import type { Book, ReasonCode } from '../model/bucket-signal.ts';
import { MINUTE_MS } from '../model/durations.ts';
import { contains } from '../model/forecast/scores.ts';
import { pickOrder } from '../model/strategy.ts';
import { timeConfidence } from '../model/time-left.ts';
import type { TrackRecord } from '../model/track-record.ts';
import { INPUTS, type Input } from '../observation.ts';
import type { Counters, EventRecord, Prediction } from '../records.ts';
import type { BucketSignal, EventSignals } from '../signal-records.ts';
import { type BucketCache, bucketSignals, emptyBucketCache } from './bucket-signals.ts';

/** Forecasts are made each minute, so an older one means that the model has stopped. */
const OLD_FORECAST_MS = 5 * MINUTE_MS;

export interface SignalFacts {
  readonly event: EventRecord;
  readonly counters: Counters | null;
  readonly prediction: Pick<Prediction, 'forecastId' | 'madeAt' | 'p50' | 'buckets'> | null;
  readonly bookOf: (token: string) => Book | undefined;
  readonly horizonHours: number | null;
  readonly track: TrackRecord;
  /** UTC ms. */
  readonly at: number;
}

export function eventSignals(
  facts: SignalFacts,
  account: string,
  cache: BucketCache = emptyBucketCache(),
): EventSignals {
  const { event, counters, prediction, horizonHours, track, at } = facts;
  const oracle = counters?.oracle ?? null;
  const obstacle = obstacleOf(facts);
  const p50 = obstacle !== null || prediction === null ? null : Math.max(oracle ?? 0, prediction.p50);
  const predicted = prediction?.buckets ?? null;
  const { buckets: listed } = event;
  const { bookOf } = facts;
  const buckets = bucketSignals({ buckets: listed, oracle, predicted, obstacle, p50, bookOf }, cache);
  const holdsMedian = ({ lo, hi }: BucketSignal) => p50 !== null && lo !== null && contains({ lo, hi }, p50);
  const picked = pickOrder(buckets, buckets.findIndex(holdsMedian));
  const record: EventSignals = {
    eventId: event.eventId,
    account,
    forecastId: prediction?.forecastId ?? null,
    p50,
    horizonHours,
    track,
    timeConfidence: timeConfidence(event.endAt - at),
    asymmetry: asymmetryEdge(counters?.oracle ?? null, counters?.ui ?? null),
    stale: [],
    buckets: buckets.toSorted(byEdge),
    order: picked && {
      strategy: picked.strategy,
      tokens: picked.places.map((place) => buckets[place]?.token ?? ''),
    },
  };
  return skipStale(record, counters === null ? INPUTS : counters.stale);
}

/** Why the event has no probabilities, if it has none. */
function obstacleOf({ event, prediction, at }: SignalFacts): ReasonCode | null {
  if (!event.isPartition) return 'BUCKETS_DO_NOT_TILE';
  if (prediction === null) return 'NO_FORECAST';
  return isOld(prediction, at) ? 'OLD_FORECAST' : null;
}

/** A forecast from the future is old as well: the clock was set back after it was made. */
export function isOld({ madeAt }: Pick<Prediction, 'madeAt'>, at: number): boolean {
  return Math.abs(at - madeAt) > OLD_FORECAST_MS;
}

function byEdge(a: BucketSignal, b: BucketSignal): number {
  const worst = Number.NEGATIVE_INFINITY;
  return (b.edge ?? worst) === (a.edge ?? worst) ? 0 : (b.edge ?? worst) - (a.edge ?? worst);
}

const STALE_CODES: Readonly<Record<Input, ReasonCode>> = {
  posts: 'STALE_POSTS',
  oracle: 'STALE_ORACLE',
  ui: 'STALE_UI',
  prices: 'STALE_PRICES',
};

/**
 * The same signals with stale inputs: every bucket is skipped, and the figures from stale inputs become null. A second
 * application changes nothing.
 */
export function skipStale(record: EventSignals, stale: readonly Input[]): EventSignals {
  if (stale.every((input) => record.stale.includes(input))) return record;
  const all = INPUTS.filter((input) => stale.includes(input) || record.stale.includes(input));
  const hasPosts = !all.includes('posts');
  const hasPrices = !all.includes('prices');
  const news = all.filter((input) => !record.stale.includes(input)).map((input) => STALE_CODES[input]);
  return {
    ...record,
    p50: hasPosts ? record.p50 : null,
    asymmetry: all.includes('oracle') || all.includes('ui') ? null : record.asymmetry,
    stale: all,
    buckets: record.buckets.map((bucket) => ({
      ...bucket,
      prob: hasPosts ? bucket.prob : null,
      price: hasPrices ? bucket.price : null,
      bid: hasPrices ? bucket.bid : null,
      ask: hasPrices ? bucket.ask : null,
      edge: hasPosts && hasPrices ? bucket.edge : null,
      edgeNet: hasPosts && hasPrices ? bucket.edgeNet : null,
      moneyness: hasPosts ? bucket.moneyness : null,
      stake: 0,
      action: 'SKIP',
      codes: [...news, ...(bucket.action === 'SKIP' ? bucket.codes : [])],
    })),
    order: null,
  };
}
