import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import { merge, type Observable } from 'rxjs';
import { DAY_MS, MINUTE_MS } from '../model/durations.ts';
import { flipRisk } from '../model/flip-risk.ts';
import type { CountRange } from '../model/forecast/simulate.ts';
import { horizonAt, horizonsOf } from '../model/horizons.ts';
import type { ForecastFact, Observation, PastPricesFact } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type {
  Cause,
  EventRecord,
  OutputOf,
  Percentiles,
  PredictedBucket,
  Prediction,
  Price,
} from '../records.ts';
import { rangesOf, targetOf } from './forecast-state.ts';
import { accountsOf, type Inputs, type Message, type OwnersOf } from './messages.ts';

/** An event is forgotten this long after its end; its rows stay in the store. */
const KEEP_MS = 800 * DAY_MS;
/** A forecast counts for a horizon when it was made at most this long after it. */
const HORIZON_SLACK_MS = 10 * MINUTE_MS;

interface ListedBucket extends CountRange {
  readonly token: string;
}

interface LedgerEvent {
  /** Empty unless they are a partition, and when no further row can come. */
  buckets: readonly ListedBucket[];
  startAt: number | null;
  endAt: number;
  /** The id of window and buckets, and the seq of their last change. Answers to earlier requests are ignored. */
  window: string;
  changedSeq: number;
  /** The seq that requested the newest live forecast. */
  askedSeq: number;
  readonly prices: Map<string, Pick<Price, 'price' | 'priceKind'>>;
  /** What its buckets cost at earlier instants, in their order; absent without any, and when no further row can come. */
  pastPrices?: ReadonlyMap<number, PastPricesFact['prices']>;
  arePricesStale: boolean;
  /** The horizons that have a row, by the id of the window it was made for, in the order of their first rows. */
  rows: ReadonlyMap<string, readonly number[]>;
}

export interface LedgerState {
  oracleLag: Percentiles | null;
  readonly events: Map<number, LedgerEvent>;
}

type From = 'event' | 'counters' | 'price' | 'lag' | 'observation';

/** Turns the model's answers into rows, with the market's prices of that instant. Rows are never edited. */
export function ledger(
  { observation$, event$, counters$, price$, lag$ }: Inputs<From>,
  states: ActorStates<LedgerState>,
  onFailure: OnFailure,
  ownersOf: OwnersOf,
): Observable<OutputOf<'predictions'>> {
  return merge(
    tagged('event', event$),
    tagged('counters', counters$),
    tagged('price', price$),
    tagged('lag', lag$),
    tagged('observation', observation$),
  ).pipe(actors({ ...behaviour, address: addressWith(ownersOf) }, states, onFailure));
}

type LedgerBehaviour = Behaviour<Message<From>, LedgerState, OutputOf<'predictions'>>;

function addressWith(ownersOf: OwnersOf): LedgerBehaviour['address'] {
  return (message) => {
    if (message.type === 'price') return ownersOf(message.value.record.eventId);
    if (message.type !== 'observation') return accountsOf(message);
    const { fact } = message.value;
    return fact.kind === 'forecast' || fact.kind === 'past_prices' ? [fact.account] : [];
  };
}

const behaviour: Omit<LedgerBehaviour, 'address'> = {
  name: 'ledger',
  spawn: () => ({ oracleLag: null, events: new Map() }),
  receive(state, { type, value }, emit) {
    switch (type) {
      case 'event':
        recordEvent(state, value);
        return;
      case 'counters': {
        const { eventId, stale } = value.output.record;
        const event = state.events.get(eventId);
        // An event that is over lists nothing, whatever was stale when it ended.
        if (event !== undefined && ['upcoming', 'active'].includes(value.event.phase))
          event.arePricesStale = stale.includes('prices');
        return;
      }
      case 'price': {
        const { eventId, token, price, priceKind } = value.record;
        state.events.get(eventId)?.prices.set(token, { price, priceKind });
        return;
      }
      case 'lag':
        state.oracleLag = value.record.oracle;
        return;
      case 'observation':
        if (value.fact.kind === 'forecast') publish(state, value, value.fact, emit);
        else if (value.fact.kind === 'past_prices') recordPastPrices(state, value.fact);
    }
  },
};

function recordEvent({ events }: LedgerState, { seq, at, record }: OutputOf<'events'>): void {
  const { eventId, startAt, endAt, window, phase } = targetOf(record);
  const known = events.get(eventId);
  const rows = known?.rows ?? new Map();
  const isOver = isComplete({ startAt, endAt, window, rows }, at);
  events.set(eventId, {
    buckets: record.isPartition && !isOver ? listedBuckets(record) : [],
    startAt,
    endAt,
    window,
    changedSeq: known?.window === window ? known.changedSeq : seq,
    askedSeq: known?.askedSeq ?? 0,
    // Nobody trades a closed event.
    prices: phase === 'closed' ? new Map() : (known?.prices ?? new Map()),
    ...(known?.pastPrices && !isOver && { pastPrices: known.pastPrices }),
    arePricesStale: known?.arePricesStale ?? true,
    rows,
  });
  for (const [eventId, { endAt }] of events) if (endAt < at - KEEP_MS) events.delete(eventId);
}

function recordPastPrices({ events }: LedgerState, { eventId, at, prices }: PastPricesFact): void {
  const event = events.get(eventId);
  if (event === undefined || event.buckets.length !== prices.length) return;
  event.pastPrices = new Map(event.pastPrices).set(at, prices);
}

function listedBuckets({ buckets }: EventRecord): readonly ListedBucket[] {
  return rangesOf(buckets).map(({ lo, hi }, index) => ({ lo, hi, token: buckets[index]?.yesToken ?? '' }));
}

function publish(
  state: LedgerState,
  { seq, receivedAt: at }: Observation,
  fact: ForecastFact,
  emit: (output: OutputOf<'predictions'>) => void,
): void {
  const { eventId, askedSeq, origin, horizonHours, inputs, forecast } = fact;
  const event = state.events.get(eventId);
  if (event === undefined || askedSeq < event.changedSeq || event.endAt !== inputs.endAt) return;
  if (event.buckets.length === 0 || event.buckets.length !== forecast.bucketProbs.length) return;

  const write = (hours: number | null) => {
    const key = keyOf(eventId, event, hours);
    const record = rowOf(state, event, fact, hours, key);
    emit({ stream: 'predictions', key, seq, at, cause: causeOf(fact), record });
    if (hours !== null) event.rows = new Map(event.rows).set(event.window, [...hoursMade(event), hours]);
  };
  if (origin === 'history') {
    if (horizonHours !== null && !hoursMade(event).includes(horizonHours)) write(horizonHours);
  } else if (askedSeq > event.askedSeq) {
    event.askedSeq = askedSeq;
    write(null);
    for (const hours of horizonsDue(event, inputs.now)) write(hours);
  }
  if (!isComplete(event, at)) return;
  event.buckets = [];
  delete event.pastPrices;
}

/** The horizons that have a row for the present window. */
function hoursMade({ window, rows }: Pick<LedgerEvent, 'window' | 'rows'>): readonly number[] {
  return rows.get(window) ?? [];
}

/** A row of another window has a key of its own, so that it replaces none. */
function keyOf(eventId: number, { window, rows }: LedgerEvent, hours: number | null): string {
  if (hours === null) return String(eventId);
  const known = [...rows.keys()].indexOf(window);
  const place = known === -1 ? rows.size : known;
  return place === 0 ? `${eventId}@${hours}` : `${eventId}@${hours}.${place + 1}`;
}

/** Whether the window is over and every horizon has its row. */
function isComplete(event: Pick<LedgerEvent, 'startAt' | 'endAt' | 'window' | 'rows'>, at: number): boolean {
  const { startAt, endAt } = event;
  const made = hoursMade(event);
  return at >= endAt && horizonsOf(startAt ?? endAt, endAt).every((hours) => made.includes(hours));
}

/** The horizons for which a live forecast made at `madeAt` is the first. */
function horizonsDue(event: LedgerEvent, madeAt: number): readonly number[] {
  const { startAt, endAt } = event;
  const made = hoursMade(event);
  return horizonsOf(startAt ?? endAt, endAt).filter((hours) => {
    const dueAt = horizonAt(endAt, hours);
    return !made.includes(hours) && madeAt >= dueAt && madeAt < dueAt + HORIZON_SLACK_MS;
  });
}

function rowOf(
  state: LedgerState,
  event: LedgerEvent,
  fact: ForecastFact,
  horizonHours: number | null,
  key: string,
): Prediction {
  const { eventId, account, askedSeq, origin, seed, inputs, forecast, pace, sleepProbability, moved } = fact;
  const { own, settlement } = fact;
  const isLive = origin === 'live';
  const row: Omit<Prediction, 'hash'> = {
    forecastId: isLive ? `${eventId}-${askedSeq}` : key,
    eventId,
    account,
    origin,
    horizonHours,
    modelVersion: inputs.version,
    seed,
    askedSeq,
    madeAt: inputs.now,
    startAt: event.startAt,
    endAt: inputs.endAt,
    count: inputs.count,
    p5: forecast.p5,
    p50: forecast.p50,
    p95: forecast.p95,
    quantiles: forecast.quantiles,
    paceP50: pace.p50,
    paceQuantiles: pace.quantiles,
    ...(own && { ownP50: own.p50, ownQuantiles: own.quantiles }),
    ...(settlement && { settlement }),
    buckets: bucketsOf(event, fact, pricesOf(event, fact)),
    sleepProbability,
    // The present lag says nothing about a close in the past.
    flipRisk: isLive
      ? flipRisk(inputs, forecast, pace, event.buckets, state.oracleLag, settlement ?? null)
      : null,
    moved,
  };
  return { ...row, hash: hashOf(row) };
}

type BucketPrice = Pick<Price, 'price' | 'priceKind'>;

/** The market's prices at the instant that the forecast was made for, by bucket: none when they were stale. */
function pricesOf(
  { buckets, prices, arePricesStale, pastPrices }: LedgerEvent,
  { origin, inputs }: ForecastFact,
): readonly (BucketPrice | undefined)[] {
  if (origin === 'history')
    return (pastPrices?.get(inputs.now) ?? []).map((price) => ({
      price,
      priceKind: price === null ? null : 'last',
    }));
  return arePricesStale ? [] : buckets.map(({ token }) => prices.get(token));
}

function bucketsOf(
  { buckets }: LedgerEvent,
  { forecast, pace, own }: ForecastFact,
  prices: readonly (BucketPrice | undefined)[],
): readonly PredictedBucket[] {
  return buckets.map(({ lo, hi }, index) => ({
    lo,
    hi,
    prob: forecast.bucketProbs[index] ?? 0,
    paceProb: pace.bucketProbs[index] ?? 0,
    ...(own && { ownProb: own.bucketProbs[index] ?? 0 }),
    price: prices[index]?.price ?? null,
    priceKind: prices[index]?.priceKind ?? null,
  }));
}

/** The hash of a row, which anyone can compute to check that the row is the one that was published. */
export function predictionHash({ hash: _published, ...row }: Prediction): string {
  return hashOf(row);
}

function hashOf(row: Omit<Prediction, 'hash'>): string {
  return bytesToHex(sha256(JSON.stringify(row)));
}

/** The largest change of the median; `clock` when it did not change, `model` for the first forecast. */
function causeOf({ moved }: ForecastFact): Cause {
  const [first, ...others] = moved;
  if (first === undefined) return 'model';
  const most = others.reduce((most, move) => (Math.abs(move.p50) > Math.abs(most.p50) ? move : most), first);
  return most.p50 === 0 ? 'clock' : most.cause;
}
