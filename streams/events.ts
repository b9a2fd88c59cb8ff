import type { Observable } from 'rxjs';
import { isPartition } from './model/partition.ts';
import { nextPhaseAt, phaseAt } from './model/phase.ts';
import { matchTracking } from './model/tracking-match.ts';
import type { AccountId, EventFact, Observation, TrackingFact } from './observation.ts';
import { type ActorFailure, type ActorStates, actors } from './operators/actors.ts';
import type { Cause, EventRecord, OutputOf } from './records.ts';

/** An event is forgotten this long after its end; what was said of it stays in the store. */
const KEEP_MS = 100 * 86_400_000;

export interface EventsState {
  readonly facts: Map<number, EventFact>;
  readonly trackings: Map<string, TrackingFact>;
  readonly records: Map<number, EventRecord>;
  /** When the clock alone next changes a phase, and when that was last worked out. UTC ms. */
  nextPhaseAt: number;
  lookedAt: number;
}

/** Market events joined with the oracle's windows: opened by the clock, closed by the market. */
export function events(
  observation$: Observable<Observation>,
  states: ActorStates<EventsState>,
  onFailure: (failure: ActorFailure<Observation>) => void,
): Observable<OutputOf<'events'>> {
  return observation$.pipe(
    actors<Observation, EventsState, OutputOf<'events'>>(behaviour, states, onFailure),
  );
}

const EVERY_EVENT = ['all'];

const behaviour = {
  name: 'events',
  address: ({ fact }: Observation): readonly string[] | 'everyone' => {
    if (fact.kind === 'tick') return 'everyone';
    return fact.kind === 'event' || fact.kind === 'tracking' ? EVERY_EVENT : [];
  },
  spawn: (): EventsState => ({
    facts: new Map(),
    trackings: new Map(),
    records: new Map(),
    nextPhaseAt: Number.MAX_SAFE_INTEGER,
    lookedAt: 0,
  }),
  receive,
};

function receive(
  state: EventsState,
  observation: Observation,
  emit: (output: OutputOf<'events'>) => void,
): void {
  const { receivedAt: now, fact } = observation;
  if (fact.kind === 'event') state.facts.set(fact.eventId, fact);
  else if (fact.kind === 'tracking') state.trackings.set(fact.trackingId, fact);
  else if (fact.kind !== 'tick') return;

  // Any fact may be the first to come after a phase is due: then every event is looked at, not its own alone.
  const isDue = now >= state.nextPhaseAt || now < state.lookedAt;
  if (isDue && fact.kind === 'tick') forget(state, now - KEEP_MS);
  if (isDue) review(state, [...state.facts.values()], observation, emit);
  else if (fact.kind === 'event') review(state, [fact], observation, emit);
  else if (fact.kind === 'tracking') review(state, ofAccount(state, fact.account), observation, emit);
}

/** Any event of the account may have been waiting for a new window, or had a poorer match. */
function ofAccount(state: EventsState, account: AccountId): readonly EventFact[] {
  return [...state.facts.values()].filter(
    ({ subject }) => subject.type === 'posts' && subject.account === account,
  );
}

function review(
  state: EventsState,
  facts: readonly EventFact[],
  { seq, receivedAt: at, fact: trigger }: Observation,
  emit: (output: OutputOf<'events'>) => void,
): void {
  const trackings = [...state.trackings.values()];
  for (const fact of facts) {
    const record = toRecord(fact, trackings, at);
    const previous = state.records.get(record.eventId);
    if (previous !== undefined && isSameEvent(previous, record)) continue;
    state.records.set(record.eventId, record);
    const cause = causeOf(previous, record, trigger.kind === 'tick');
    emit({ stream: 'events', key: String(record.eventId), seq, at, cause, record });
  }
  state.lookedAt = at;
  state.nextPhaseAt = Number.MAX_SAFE_INTEGER;
  for (const record of state.records.values()) {
    const next = nextPhaseAt({ ...record, isClosed: record.phase === 'closed' }, at);
    if (next < state.nextPhaseAt) state.nextPhaseAt = next;
  }
}

function toRecord(fact: EventFact, trackings: readonly TrackingFact[], now: number): EventRecord {
  const { eventId, slug, title, image, subject, endAt, buckets } = fact;
  const tracking =
    subject.type === 'posts' ? matchTracking({ ...fact, account: subject.account }, trackings) : undefined;
  const startAt = tracking?.startAt ?? fact.startAt;
  return {
    eventId,
    slug,
    title,
    image,
    subject,
    startAt,
    endAt,
    phase: phaseAt({ startAt, endAt, isClosed: fact.isClosed }, now),
    trackingId: tracking?.trackingId ?? null,
    buckets,
    isPartition: subject.type === 'posts' && isPartition(buckets),
  };
}

function causeOf(previous: EventRecord | undefined, event: EventRecord, isByClock: boolean): Cause {
  if (event.phase === 'active' && previous?.phase !== 'active') return 'event_opened';
  const isOver = event.phase === 'ended' || event.phase === 'closed';
  if (isOver && previous?.phase !== event.phase) return 'event_closed';
  return isByClock ? 'clock' : 'event_changed';
}

// Events change a few times a day, so comparing their text costs nothing worth saving.
function isSameEvent(a: EventRecord, b: EventRecord): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function forget(state: EventsState, before: number): void {
  for (const [eventId, { endAt }] of state.facts) {
    if (endAt >= before) continue;
    state.facts.delete(eventId);
    state.records.delete(eventId);
  }
  for (const [trackingId, { endAt }] of state.trackings)
    if (endAt < before) state.trackings.delete(trackingId);
}
