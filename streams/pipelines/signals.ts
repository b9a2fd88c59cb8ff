import { merge, type Observable } from 'rxjs';
import type { Book } from '../model/bucket-signal.ts';
import { DAY_MS } from '../model/durations.ts';
import { isSame } from '../model/is-same.ts';
import { horizonOf, timeConfidence } from '../model/time-left.ts';
import { type TrackRecord, trackRecord } from '../model/track-record.ts';
import type { AccountId, Observation } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { Cause, Counters, EventRecord, OutputOf, Trigger } from '../records.ts';
import type { ScoreRecord, VoidRecord } from '../score-records.ts';
import type { EventSignals } from '../signal-records.ts';
import { type BucketCache, emptyBucketCache } from './bucket-signals.ts';
import { accountShareOf, eventSignals, isOld, type UsedPrediction } from './event-signals.ts';
import { decisionOf, signalsOfHistory } from './horizon-decision.ts';
import { accountsOf, type Inputs, type Message, type OwnersOf } from './messages.ts';
import { recordScore, type TrackSamples, trackBefore } from './score-history.ts';

/** An event is forgotten this long after its end. Before that the market may open it again. */
const KEEP_MS = 2 * DAY_MS;

const NO_TRACK = trackRecord([]);

interface TradedEvent {
  event: EventRecord;
  counters: Counters | null;
  prediction: UsedPrediction | null;
  readonly books: Map<string, Book>;
  /** Why the signals have to be computed again. */
  news: Cause | null;
  /** The last output. */
  said: OutputOf<'signals'> | null;
  /** Whether the forecast was old when the signals were last computed. */
  wasOld: boolean;
}

export interface SignalsState {
  readonly events: Map<number, TradedEvent>;
  readonly samples: TrackSamples;
  readonly tracks: Map<number, TrackRecord>;
}

type From = 'event' | 'counters' | 'price' | 'prediction' | 'score' | 'observation';

type SignalsOutput = OutputOf<'signals'> | OutputOf<'decisions'>;

/**
 * Emits the signals of each active event when they change, and the decision at each horizon. Both are the same for
 * every bankroll.
 */
export function signals(
  { observation$, event$, counters$, price$, prediction$, score$ }: Inputs<From>,
  states: ActorStates<SignalsState>,
  onFailure: OnFailure,
  ownersOf: OwnersOf,
): Observable<SignalsOutput> {
  // The observation comes last, after everything that it caused, so signals are computed once.
  return merge(
    tagged('event', event$),
    tagged('counters', counters$),
    tagged('price', price$),
    tagged('prediction', prediction$),
    tagged('score', score$),
    tagged('observation', observation$),
  ).pipe(actors(behaviourWith(new WeakMap(), recipientsOf(states, ownersOf)), states, onFailure));
}

/** They are not part of the state: a restart makes them again. */
type BucketCaches = WeakMap<TradedEvent, BucketCache>;

type Address = Behaviour<Message<From>, SignalsState, SignalsOutput>['address'];

/**
 * An observation reaches the accounts that it has changed something of, which the messages before it name. A tick reaches
 * all, as the clock may change the signals of any.
 */
function recipientsOf(states: ActorStates<SignalsState>, ownersOf: OwnersOf): Address {
  const changed = new Set<AccountId>();
  return (message) => {
    if (message.type === 'observation') {
      const isTick = message.value.fact.kind === 'tick';
      // In the order of the actors, whatever the order of the messages.
      const accounts = changed.size > 1 ? [...states.keys()].filter((key) => changed.has(key)) : [...changed];
      changed.clear();
      return isTick ? 'everyone' : accounts;
    }
    const accounts = message.type === 'price' ? ownersOf(message.value.record.eventId) : accountsOf(message);
    for (const account of accounts) changed.add(account);
    return accounts;
  };
}

function behaviourWith(
  caches: BucketCaches,
  address: Address,
): Behaviour<Message<From>, SignalsState, SignalsOutput> {
  return {
    name: 'signals',
    address,
    spawn: () => ({ events: new Map(), samples: new Map(), tracks: new Map() }),
    receive(state, { type, value }, emit, account) {
      switch (type) {
        case 'event':
          recordEvent(state, value.record, value);
          return;
        case 'counters': {
          // When an event and its counters change together, the counters come first.
          const { output, event } = value;
          recordEvent(state, event, output);
          const known = state.events.get(event.eventId);
          if (known !== undefined) known.counters = output.record;
          return;
        }
        case 'price':
          recordPrice(state, value);
          return;
        case 'prediction':
          if (value.record.horizonHours !== null) emitDecision(state, value, emit);
          else recordPrediction(state, value);
          return;
        case 'score':
          updateTrack(state, value.record);
          return;
        case 'observation':
          emitChanged(state, value, caches, emit, account);
      }
    },
  };
}

function recordEvent({ events }: SignalsState, event: EventRecord, { cause, at }: Trigger): void {
  const known = events.get(event.eventId);
  if (known !== undefined) {
    const { startAt, endAt } = known.event;
    // The forecast was made for another window.
    if (startAt !== event.startAt || endAt !== event.endAt) known.prediction = null;
    known.event = event;
    known.news ??= cause;
  } else if (event.endAt >= at - KEEP_MS) {
    events.set(event.eventId, {
      event,
      counters: null,
      prediction: null,
      books: new Map(),
      news: cause,
      said: null,
      wasOld: false,
    });
  }
}

function recordPrice({ events }: SignalsState, { record, cause }: OutputOf<'prices'>): void {
  const { eventId, token, bid, ask, price, bidSize, askSize } = record;
  const known = events.get(eventId);
  if (known === undefined) return;
  known.books.set(token, { bid, ask, price, bidSize, askSize });
  known.news ??= cause;
}

function recordPrediction({ events }: SignalsState, { record, cause }: OutputOf<'predictions'>): void {
  const known = events.get(record.eventId);
  if (known === undefined) return;
  const { forecastId, madeAt, count, p50, buckets } = record;
  known.prediction = { forecastId, madeAt, count, p50, buckets };
  known.news ??= cause;
}

function updateTrack(state: SignalsState, score: ScoreRecord | VoidRecord): void {
  const track = recordScore(state.samples, score);
  if (track === null) return;
  state.tracks.set(score.horizonHours, track);
  for (const known of state.events.values()) known.news ??= 'model';
}

/** Uses the track record of the events that had ended when the forecast was made. */
function emitDecision(
  state: SignalsState,
  { seq, at, key, cause, record: row }: OutputOf<'predictions'>,
  emit: (output: SignalsOutput) => void,
): void {
  const track = trackBefore(state.samples, row.horizonHours, row.madeAt);
  const known = state.events.get(row.eventId);
  if (row.origin === 'live' && known?.event.phase !== 'active') return;
  const signals =
    row.origin === 'live' && known !== undefined
      ? signalsOf({ ...known, prediction: row }, row.account, at, row.horizonHours, track, emptyBucketCache())
      : signalsOfHistory(row, track);
  const decision = decisionOf(row, signals);
  if (decision !== null) emit({ stream: 'decisions', key, seq, at, cause, record: decision });
}

function signalsOf(
  { event, counters, prediction, books, said }: TradedEvent,
  account: AccountId,
  at: number,
  horizonHours: number | null,
  track: TrackRecord,
  cache: BucketCache,
): EventSignals {
  const facts = {
    event: event.phase === 'active' ? event : { ...event, buckets: [] },
    counters,
    prediction,
    bookOf: (token: string) => books.get(token),
    horizonHours,
    track,
    accountShare: said?.record.accountShare ?? 1,
    at,
  };
  return eventSignals(facts, account, cache);
}

/** Emits the signals that have changed, and those of the account's other events where that moves its cap. */
function emitChanged(
  { events, tracks }: SignalsState,
  { seq, receivedAt: at, fact }: Observation,
  caches: BucketCaches,
  emit: (output: SignalsOutput) => void,
  account: AccountId,
): void {
  const changed = new Map<TradedEvent, EventSignals>();
  let cause: Cause = 'clock';
  for (const [eventId, known] of events) {
    const { event, said, news } = known;
    if (news === null && (fact.kind !== 'tick' || !isChangedByClock(known, at))) continue;
    if (event.endAt < at - KEEP_MS) events.delete(eventId);
    known.news = null;
    if (event.phase !== 'active' && (said === null || said.record.buckets.length === 0)) continue;
    known.wasOld = known.prediction !== null && isOld(known.prediction, at);
    const horizonHours = horizonOf(event.endAt - at);
    const track = (horizonHours === null ? undefined : tracks.get(horizonHours)) ?? NO_TRACK;
    const record = signalsOf(known, account, at, horizonHours, track, cacheOf(caches, known));
    if (said !== null && isSame(said.record, record)) continue;
    changed.set(known, record);
    cause = news ?? cause;
  }
  if (changed.size === 0) return;
  const current = [...events.values()].map((known) => changed.get(known) ?? known.said?.record ?? null);
  const accountShare = accountShareOf(current.filter((record) => record !== null));
  for (const known of new Set([...events.values(), ...changed.keys()])) {
    const record = changed.get(known) ?? known.said?.record;
    if (record === undefined) continue;
    const isOver = record.buckets.length === 0;
    if (!changed.has(known) && (isOver || record.accountShare === accountShare)) continue;
    const shared = isOver || record.accountShare === accountShare ? record : { ...record, accountShare };
    known.said = { stream: 'signals', key: String(record.eventId), seq, at, cause, record: shared };
    emit(known.said);
  }
}

function cacheOf(caches: BucketCaches, known: TradedEvent): BucketCache {
  const cache = caches.get(known) ?? emptyBucketCache();
  caches.set(known, cache);
  return cache;
}

/** Whether the clock alone has changed the signals. */
function isChangedByClock({ event, prediction, said, wasOld }: TradedEvent, at: number): boolean {
  if (event.phase !== 'active' || said === null) return event.endAt < at - KEEP_MS;
  const leftMs = event.endAt - at;
  return (
    said.record.timeConfidence !== timeConfidence(leftMs) ||
    said.record.horizonHours !== horizonOf(leftMs) ||
    (prediction !== null && isOld(prediction, at)) !== wasOld
  );
}

/** The last signals of each event. Readers need them after a start, and only the state has them. */
export function lastSignals(states: ActorStates<SignalsState>): readonly OutputOf<'signals'>[] {
  return [...states.values()].flatMap((state) =>
    [...(state?.events.values() ?? [])].flatMap(({ said }) => said ?? []),
  );
}
