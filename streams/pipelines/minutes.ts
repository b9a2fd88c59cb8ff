import { merge, type Observable } from 'rxjs';
import { probNow, standingOf } from '../model/bucket-signal.ts';
import { round4 } from '../model/decimals.ts';
import { DAY_MS } from '../model/durations.ts';
import { minuteOf } from '../model/sampled-minute.ts';
import type { AccountId, Observation } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { Counters, EventRecord, Minute, MinuteBucket, OutputOf, Prediction, Price } from '../records.ts';
import { accountsOf, type Inputs, type Message, type OwnersOf } from './messages.ts';

/** An event is forgotten this long after its end. Before that the market may open it again. */
const KEEP_MS = 2 * DAY_MS;

type SampledPrice = Pick<Price, 'bid' | 'ask' | 'bidSize' | 'askSize' | 'last' | 'price'>;
type SampledForecast = Pick<Prediction, 'forecastId' | 'startAt' | 'endAt' | 'count' | 'buckets'>;

interface SampledEvent {
  event: EventRecord;
  counters: Counters | null;
  forecast: SampledForecast | null;
  readonly prices: Map<string, SampledPrice>;
  /** What was traded in each bucket so far, in the order of the buckets; empty while nothing is known of it. */
  volumes: readonly (number | null)[];
}

export interface MinutesState {
  /** The last minute that was sampled. */
  minute: number;
  readonly events: Map<number, SampledEvent>;
}

type From = 'event' | 'counters' | 'price' | 'prediction' | 'observation';

/**
 * The prices and probabilities of each active event, once a minute, at the first tick of the account's minute. There is no
 * record of a minute without prices, or when they were stale.
 */
export function minutes(
  { observation$, event$, counters$, price$, prediction$ }: Inputs<From>,
  states: ActorStates<MinutesState>,
  onFailure: OnFailure,
  ownersOf: OwnersOf,
): Observable<OutputOf<'minutes'>> {
  // The observation comes last, after everything that it caused: a tick may have made prices stale.
  return merge(
    tagged('event', event$),
    tagged('counters', counters$),
    tagged('price', price$),
    tagged('prediction', prediction$),
    tagged('observation', observation$),
  ).pipe(actors({ ...behaviour, address: addressWith(ownersOf) }, states, onFailure));
}

type MinutesBehaviour = Behaviour<Message<From>, MinutesState, OutputOf<'minutes'>>;

function addressWith(ownersOf: OwnersOf): MinutesBehaviour['address'] {
  return (message) => {
    if (message.type === 'price') return ownersOf(message.value.record.eventId);
    if (message.type !== 'observation') return accountsOf(message);
    const { fact } = message.value;
    if (fact.kind === 'tick') return 'everyone';
    return fact.kind === 'volumes' ? ownersOf(fact.eventId) : [];
  };
}

const behaviour: Omit<MinutesBehaviour, 'address'> = {
  name: 'minutes',
  spawn: () => ({ minute: 0, events: new Map() }),
  receive(state, { type, value }, emit, account) {
    switch (type) {
      case 'event':
        recordEvent(state, value.record, value.at);
        return;
      case 'counters': {
        // Other than an event they come often, so that a state that was begun in the middle of a log is soon complete.
        recordEvent(state, value.event, value.output.at);
        const known = state.events.get(value.event.eventId);
        if (known !== undefined) known.counters = value.output.record;
        return;
      }
      case 'price': {
        const { eventId, token, bid, ask, bidSize, askSize, last, price } = value.record;
        state.events.get(eventId)?.prices.set(token, { bid, ask, bidSize, askSize, last, price });
        return;
      }
      case 'prediction':
        recordForecast(state, value.record);
        return;
      case 'observation':
        if (value.fact.kind === 'tick') sample(state, value, emit, account);
        else if (value.fact.kind === 'volumes') {
          const known = state.events.get(value.fact.eventId);
          if (known !== undefined) known.volumes = value.fact.volumes;
        }
    }
  },
};

function recordEvent({ events }: MinutesState, event: EventRecord, at: number): void {
  const known = events.get(event.eventId);
  if (known !== undefined) known.event = event;
  else if (event.endAt >= at - KEEP_MS)
    events.set(event.eventId, { event, counters: null, forecast: null, prices: new Map(), volumes: [] });
}

function recordForecast({ events }: MinutesState, row: Prediction): void {
  const known = events.get(row.eventId);
  if (known === undefined || row.origin !== 'live' || row.horizonHours !== null) return;
  const { forecastId, startAt, endAt, count, buckets } = row;
  known.forecast = { forecastId, startAt, endAt, count, buckets };
}

function sample(
  state: MinutesState,
  { seq, receivedAt: at }: Observation,
  emit: (output: OutputOf<'minutes'>) => void,
  account: AccountId,
): void {
  const minute = minuteOf(account, at);
  // In the log of an earlier version time may run back.
  if (minute <= state.minute) return;
  state.minute = minute;
  for (const [eventId, known] of state.events) {
    if (known.event.endAt < at - KEEP_MS) state.events.delete(eventId);
    const record = minuteRecord(known, account, at);
    if (record !== null) emit({ stream: 'minutes', key: String(eventId), seq, at, cause: 'clock', record });
  }
}

function minuteRecord(
  { event, counters, forecast, prices, volumes }: SampledEvent,
  account: AccountId,
  at: number,
): Minute | null {
  const { eventId, phase, buckets, startAt, endAt } = event;
  if (phase !== 'active' || counters === null || counters.stale.includes('prices')) return null;
  if (!buckets.some(({ yesToken }) => prices.has(yesToken))) return null;
  const isOfWindow = forecast?.startAt === startAt && forecast.endAt === endAt;
  const used = isOfWindow ? forecast : null;
  return {
    eventId,
    account,
    at,
    real: counters.real,
    oracle: counters.oracle,
    forecastId: used?.forecastId ?? null,
    buckets: buckets.map((bucket, index): MinuteBucket => {
      const { lo, hi, yesToken } = bucket;
      const quote = prices.get(yesToken);
      return {
        lo,
        hi,
        bid: quote?.bid ?? null,
        ask: quote?.ask ?? null,
        bidSize: quote?.bidSize ?? null,
        askSize: quote?.askSize ?? null,
        last: quote?.last ?? null,
        volume: volumes[index] ?? null,
        price: quote?.price == null ? null : round4(quote.price),
        prob: used === null ? null : probOf(used, index, counters),
      };
    }),
  };
}

/** As it is published at that instant: by the newest forecast and the counts of now. */
function probOf(
  { buckets, count }: SampledForecast,
  index: number,
  { real, oracle }: Counters,
): number | null {
  const bucket = buckets[index];
  if (bucket === undefined) return null;
  const prob = probNow(bucket.prob, bucket, standingOf(bucket, real, oracle), count);
  return prob === null ? null : round4(prob);
}
