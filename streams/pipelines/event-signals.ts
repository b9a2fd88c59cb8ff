import { asymmetryEdge } from '../model/asymmetry.ts';
import type { Book, ReasonCode } from '../model/bucket-signal.ts';
import { MINUTE_MS } from '../model/durations.ts';
import { contains } from '../model/forecast/scores.ts';
import { accountShare, eventShare, loneStake, provenShare } from '../model/sizing.ts';
import { pickOrder, STRATEGY_STAKES } from '../model/strategy.ts';
import { timeConfidence } from '../model/time-left.ts';
import type { TrackRecord } from '../model/track-record.ts';
import { INPUTS, type Input } from '../observation.ts';
import type { Counters, EventRecord, Prediction } from '../records.ts';
import type { BucketSignal, EventSignals } from '../signal-records.ts';
import { type BucketCache, bucketSignals, emptyBucketCache } from './bucket-signals.ts';

/** Forecasts are made each minute, so an older one means that the model has stopped. */
const OLD_FORECAST_MS = 5 * MINUTE_MS;

export type UsedPrediction = Pick<Prediction, 'forecastId' | 'madeAt' | 'count' | 'p50' | 'buckets'>;

export interface SignalFacts {
  readonly event: Pick<EventRecord, 'eventId' | 'endAt' | 'isPartition' | 'buckets'>;
  readonly counters: Pick<Counters, 'real' | 'oracle' | 'ui' | 'stale'> | null;
  readonly prediction: UsedPrediction | null;
  readonly bookOf: (token: string) => Book | undefined;
  readonly horizonHours: number | null;
  readonly track: TrackRecord;
  /** What the cap of the account leaves of each stake. */
  readonly accountShare: number;
  /** UTC ms. */
  readonly at: number;
}

/** The signals of one event, from which every advice on its buckets is derived. */
export function eventSignals(
  facts: SignalFacts,
  account: string,
  cache: BucketCache = emptyBucketCache(),
): EventSignals {
  const { event, counters, prediction, horizonHours, track, bookOf, at } = facts;
  const { real = null, oracle = null } = counters ?? {};
  const obstacle = obstacleOf(facts);
  const p50 = obstacle !== null || prediction === null ? null : Math.max(oracle ?? 0, prediction.p50);
  const predicted = prediction?.buckets ?? null;
  const forecastCount = prediction?.count ?? 0;
  const buckets = bucketSignals(
    { buckets: event.buckets, real, oracle, predicted, forecastCount, obstacle, p50, bookOf },
    cache,
  );
  const holdsMedian = ({ lo, hi }: BucketSignal) => p50 !== null && lo !== null && contains({ lo, hi }, p50);
  const picked = pickOrder(buckets, buckets.findIndex(holdsMedian));
  const record: EventSignals = {
    eventId: event.eventId,
    account,
    forecastId: prediction?.forecastId ?? null,
    p50,
    horizonHours,
    track,
    eventShare: eventShare(loneStakes(buckets)),
    accountShare: facts.accountShare,
    timeConfidence: timeConfidence(event.endAt - at),
    asymmetry: asymmetryEdge(oracle, counters?.ui ?? null),
    stale: [],
    buckets: buckets.toSorted(byWorth),
    order: picked && {
      strategy: picked.strategy,
      tokens: picked.places.map((place) => buckets[place]?.token ?? ''),
    },
  };
  return skipStale(record, counters === null ? INPUTS : counters.stale);
}

/** Why the event has no probabilities, if it has none. */
function obstacleOf({ event, counters, prediction, at }: SignalFacts): ReasonCode | null {
  if (!event.isPartition) return 'BUCKETS_DO_NOT_TILE';
  if (prediction === null) return 'NO_FORECAST';
  if (isOld(prediction, at)) return 'OLD_FORECAST';
  return counters?.real === null ? 'UNKNOWN_COUNT' : null;
}

/** A forecast from the future is old as well: the clock was set back after it was made. */
export function isOld({ madeAt }: Pick<Prediction, 'madeAt'>, at: number): boolean {
  return Math.abs(at - madeAt) > OLD_FORECAST_MS;
}

/** The full Kelly stake of a bucket's bet: on Yes where it is a BUY, on No where it is a SELL. */
export function kellyOf({ action, kelly, noKelly }: BucketSignal): number {
  if (action === 'BUY') return kelly ?? 0;
  return action === 'SKIP' ? 0 : (noKelly ?? 0);
}

function loneStakes(buckets: readonly BucketSignal[]): number {
  let sum = 0;
  for (const bucket of buckets) sum += loneStake(kellyOf(bucket));
  return sum;
}

/** What an event takes of the cap of its account: its bets, or its order, which replaces them. */
function committed({ buckets, order, track, eventShare: share }: EventSignals): number {
  const ordered = order === null ? 0 : STRATEGY_STAKES[order.strategy];
  return Math.max(ordered, share * loneStakes(buckets)) * provenShare(track.isProven);
}

/** What the cap of an account leaves of each stake, given the signals of its open events. */
export function accountShareOf(records: Iterable<EventSignals>): number {
  let sum = 0;
  for (const record of records) sum += committed(record);
  return accountShare(sum);
}

function isPassedOffer({ codes }: BucketSignal): boolean {
  return codes.includes('PASSED_BY_COUNT');
}

function byWorth(a: BucketSignal, b: BucketSignal): number {
  const isFirst = Number(isPassedOffer(b)) - Number(isPassedOffer(a));
  if (isFirst !== 0) return isFirst;
  if (isPassedOffer(a) && a.bid !== b.bid) return (b.bid ?? 0) - (a.bid ?? 0);
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
    eventShare: 1,
    asymmetry: all.includes('oracle') || all.includes('ui') ? null : record.asymmetry,
    stale: all,
    buckets: record.buckets.map((bucket) => ({
      ...bucket,
      prob: hasPosts ? bucket.prob : null,
      price: hasPrices ? bucket.price : null,
      bid: hasPrices ? bucket.bid : null,
      ask: hasPrices ? bucket.ask : null,
      bidSize: hasPrices ? bucket.bidSize : null,
      askSize: hasPrices ? bucket.askSize : null,
      edge: hasPosts && hasPrices ? bucket.edge : null,
      edgeNet: hasPosts && hasPrices ? bucket.edgeNet : null,
      kelly: hasPosts && hasPrices ? bucket.kelly : null,
      noKelly: null,
      moneyness: hasPosts ? bucket.moneyness : null,
      action: 'SKIP',
      codes: [...news, ...(bucket.action === 'SKIP' ? bucket.codes : [])],
    })),
    order: null,
  };
}
