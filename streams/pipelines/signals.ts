import { merge, type Observable } from 'rxjs';
import type { Book } from '../model/bucket-signal.ts';
import { DAY_MS } from '../model/durations.ts';
import { isSame } from '../model/is-same.ts';
import { horizonOf, timeConfidence } from '../model/time-left.ts';
import { type TrackRecord, trackRecord } from '../model/track-record.ts';
import type { AccountId, Observation } from '../observation.ts';
import { type ActorFailure, type ActorStates, actors } from '../operators/actors.ts';
import type { Cause, Counters, EventRecord, OutputOf, Prediction } from '../records.ts';
import type { ScoreRecord } from '../score-records.ts';
import type { CountersChange } from './counters.ts';
import { decisionOf } from './decisions.ts';
import { eventSignals, isOld } from './event-signals.ts';
import { recordScore, type TrackSamples, trackBefore } from './track-samples.ts';
import { noWeighings, type Weighings } from './weighed-buckets.ts';

/** An event is forgotten this long after its end. Before that the market may open it again, closed or not. */
const KEEP_MS = 2 * DAY_MS;

const NO_TRACK = trackRecord([]);

interface TradedEvent {
  event: EventRecord;
  counters: Counters | null;
  prediction: Pick<Prediction, 'forecastId' | 'madeAt' | 'p50' | 'buckets'> | null;
  readonly books: Map<string, Book>;
  /** Why its signals have to be looked at again. */
  news: Cause | null;
  said: OutputOf<'signals'> | null;
  /** Whether the forecast was old when they were last looked at. */
  wasOld: boolean;
}

export interface SignalsState {
  readonly events: Map<number, TradedEvent>;
  readonly samples: TrackSamples;
  readonly tracks: Map<number, TrackRecord>;
}

export type SignalsMessage =
  | Observation
  | CountersChange
  | OutputOf<'events'>
  | OutputOf<'prices'>
  | OutputOf<'predictions'>
  | OutputOf<'scores'>;

export type SignalsOutput = OutputOf<'signals'> | OutputOf<'decisions'>;

/**
 * What to do about each active event, said when it changes, and what was to be bought at each horizon, frozen. A
 * bankroll changes none of it, so it is not known here.
 */
export function signals(
  observation$: Observable<Observation>,
  event$: Observable<OutputOf<'events'>>,
  counters$: Observable<CountersChange>,
  price$: Observable<OutputOf<'prices'>>,
  prediction$: Observable<OutputOf<'predictions'>>,
  score$: Observable<OutputOf<'scores'>>,
  states: ActorStates<SignalsState>,
  onFailure: (failure: ActorFailure<SignalsMessage>) => void,
): Observable<SignalsOutput> {
  // The observation comes last: by then all that it brought about is known, and one look is enough.
  return merge(event$, counters$, price$, prediction$, score$, observation$).pipe(
    actors<SignalsMessage, SignalsState, SignalsOutput>(behaviour, states, onFailure),
  );
}

const behaviour = {
  name: 'signals',
  address: (message: SignalsMessage): readonly AccountId[] | 'everyone' => {
    if ('fact' in message) return 'everyone';
    if ('output' in message) return [message.output.record.account];
    if (message.stream === 'prices') return 'everyone';
    if (message.stream !== 'events') return [message.record.account];
    const { subject } = message.record;
    return subject.type === 'posts' ? [subject.account] : [];
  },
  spawn: (): SignalsState => ({ events: new Map(), samples: new Map(), tracks: new Map() }),
  receive,
};

function receive(
  state: SignalsState,
  message: SignalsMessage,
  emit: (output: SignalsOutput) => void,
  account: AccountId,
): void {
  if ('fact' in message) {
    speak(state, message, emit, account);
  } else if ('output' in message) {
    // An event that brings its counters along comes after them.
    const { output, event } = message;
    list(state, event, output);
    const known = state.events.get(event.eventId);
    if (known !== undefined) known.counters = output.record;
  } else if (message.stream === 'events') {
    list(state, message.record, message);
  } else if (message.stream === 'scores') {
    learn(state, message.record);
  } else if (message.stream === 'predictions') {
    if (message.record.horizonHours !== null) freeze(state, message, emit);
    else predict(state, message);
  } else {
    const { eventId, token, bid, ask, price } = message.record;
    const known = state.events.get(eventId);
    if (known === undefined) return;
    known.books.set(token, { bid, ask, price });
    known.news ??= message.cause;
  }
}

function list(
  { events }: SignalsState,
  event: EventRecord,
  { cause, at }: { readonly cause: Cause; readonly at: number },
): void {
  const known = events.get(event.eventId);
  if (known !== undefined) {
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

function predict({ events }: SignalsState, { record, cause }: OutputOf<'predictions'>): void {
  const known = events.get(record.eventId);
  if (known === undefined) return;
  const { forecastId, madeAt, p50, buckets } = record;
  known.prediction = { forecastId, madeAt, p50, buckets };
  known.news ??= cause;
}

function learn(state: SignalsState, score: ScoreRecord): void {
  const track = recordScore(state.samples, score);
  if (track === null) return;
  state.tracks.set(score.horizonHours, track);
  for (const known of state.events.values()) known.news ??= 'model';
}

/** Only what was settled by then speaks for a forecast, also where the past is gone through afterwards. */
function freeze(
  state: SignalsState,
  { seq, at, key, cause, record }: OutputOf<'predictions'>,
  emit: (output: SignalsOutput) => void,
): void {
  const known = record.origin === 'live' ? state.events.get(record.eventId) : undefined;
  if (record.origin === 'live' && known?.counters?.stale.length !== 0) return;
  const tokens = new Map(known?.event.buckets.map(({ lo, hi, yesToken }) => [`${lo} ${hi}`, yesToken]));
  const decision = decisionOf(
    record,
    ({ lo, hi }) => known?.books.get(tokens.get(`${lo} ${hi}`) ?? ''),
    trackBefore(state.samples, record.horizonHours, record.madeAt),
  );
  if (decision !== null) emit({ stream: 'decisions', key, seq, at, cause, record: decision });
}

function speak(
  { events, tracks }: SignalsState,
  { seq, receivedAt: at, fact }: Observation,
  emit: (output: SignalsOutput) => void,
  account: AccountId,
): void {
  for (const [eventId, known] of events) {
    const { event, said, news } = known;
    if (news === null && (fact.kind !== 'tick' || !isOutOfTime(known, at))) continue;
    if (event.endAt < at - KEEP_MS) events.delete(eventId);
    known.news = null;
    const isActive = event.phase === 'active';
    if (!isActive && (said === null || said.record.buckets.length === 0)) continue;
    known.wasOld = known.prediction !== null && isOld(known.prediction, at);
    const horizonHours = horizonOf(event.endAt - at);
    const record = eventSignals(
      {
        event: isActive ? event : { ...event, buckets: [] },
        counters: known.counters,
        prediction: known.prediction,
        bookOf: (token) => known.books.get(token),
        horizonHours,
        track: (horizonHours === null ? undefined : tracks.get(horizonHours)) ?? NO_TRACK,
        at,
      },
      account,
      weighingsOf(known),
    );
    if (said !== null && isSame(said.record, record)) continue;
    known.said = { stream: 'signals', key: String(eventId), seq, at, cause: news ?? 'clock', record };
    emit(known.said);
  }
}

/** Not part of the state: made again after a start, to the same digits. */
const weighings = new WeakMap<TradedEvent, Weighings>();

function weighingsOf(known: TradedEvent): Weighings {
  let found = weighings.get(known);
  if (found === undefined) {
    found = noWeighings();
    weighings.set(known, found);
  }
  return found;
}

/** Whether the clock alone has changed what was said. */
function isOutOfTime({ event, prediction, said, wasOld }: TradedEvent, at: number): boolean {
  if (event.phase !== 'active' || said === null) return event.endAt < at - KEEP_MS;
  const leftMs = event.endAt - at;
  return (
    said.record.timeConfidence !== timeConfidence(leftMs) ||
    said.record.horizonHours !== horizonOf(leftMs) ||
    (prediction !== null && isOld(prediction, at)) !== wasOld
  );
}

/** What each event's signals last were: a start has to show them, and nothing else keeps them. */
export function lastSignals(states: ActorStates<SignalsState>): readonly OutputOf<'signals'>[] {
  return [...states.values()].flatMap((state) =>
    [...(state?.events.values() ?? [])].flatMap(({ said }) => said ?? []),
  );
}
