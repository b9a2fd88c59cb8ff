import type { Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { isSame } from '../model/is-same.ts';
import { isPartition } from '../model/partition.ts';
import { nextPhaseAt, phaseAt, type Window } from '../model/phase.ts';
import { matchTracking } from '../model/tracking-match.ts';
import type { EventFact, Fact, Observation, TrackingFact } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import type { Cause, EventRecord, OutputOf } from '../records.ts';
import type { Inputs } from './messages.ts';

/**
 * An event is forgotten this long after its end; its outputs stay in the store. There are hundreds of crypto events a
 * day, and they settle at once.
 */
const KEEP_MS = { posts: 100 * DAY_MS, crypto: 2 * DAY_MS };

export interface EventsState {
  readonly facts: Map<number, EventFact>;
  readonly trackings: Map<string, TrackingFact>;
  readonly records: Map<number, EventRecord>;
  /** When the clock alone next changes a phase, and when that was last computed. UTC ms. */
  nextPhaseAt: number;
  lookedAt: number;
}

/** Market events joined with the oracle's windows. The clock opens them, the market closes them. */
export function events(
  { observation$ }: Inputs<'observation'>,
  states: ActorStates<EventsState>,
  onFailure: OnFailure,
): Observable<OutputOf<'events'>> {
  return observation$.pipe(actors(behaviour, states, onFailure));
}

const EVERY_EVENT = ['all'];

const behaviour: Behaviour<Observation, EventsState, OutputOf<'events'>> = {
  name: 'events',
  address: ({ fact }) => {
    if (fact.kind === 'tick') return 'everyone';
    return fact.kind === 'event' || fact.kind === 'tracking' ? EVERY_EVENT : [];
  },
  spawn: () => ({
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
  const isDue = now >= state.nextPhaseAt || now < state.lookedAt;
  if (fact.kind === 'tick' && !isDue) return;
  if (fact.kind === 'event') state.facts.set(fact.eventId, fact);
  if (fact.kind === 'tracking') state.trackings.set(fact.trackingId, fact);
  // Any fact may be the first one after a phase change is due, so all events are checked, not only its own.
  const due = isDue ? outOfPhase(state, now) : [];
  review(state, new Set([...due, ...touchedBy(state, fact)]), observation, emit);
  // Last, so that an event that ended during a long pause is emitted as ended before it is forgotten.
  if (isDue) forget(state, now);
}

function outOfPhase(state: EventsState, now: number): readonly EventFact[] {
  return [...state.facts.values()].filter(({ eventId }) => {
    const known = state.records.get(eventId);
    return known !== undefined && phaseAt(windowOf(known), now) !== known.phase;
  });
}

function touchedBy(state: EventsState, fact: Fact): readonly EventFact[] {
  if (fact.kind === 'event') return [fact];
  if (fact.kind !== 'tracking') return [];
  // The new window may match any event of the account, or match it better than another window did.
  return [...state.facts.values()].filter(
    ({ subject }) => subject.type === 'posts' && subject.account === fact.account,
  );
}

function review(
  state: EventsState,
  facts: Iterable<EventFact>,
  { seq, receivedAt: at, fact: trigger }: Observation,
  emit: (output: OutputOf<'events'>) => void,
): void {
  const trackings = [...state.trackings.values()];
  for (const fact of facts) {
    const record = toRecord(fact, trackings, at);
    const previous = state.records.get(record.eventId);
    state.records.set(record.eventId, record);
    if (isSame(previous, record)) continue;
    const cause = causeOf(previous, record, trigger.kind === 'tick');
    emit({ stream: 'events', key: String(record.eventId), seq, at, cause, record });
  }
  state.lookedAt = at;
  state.nextPhaseAt = Number.MAX_SAFE_INTEGER;
  for (const record of state.records.values()) {
    const next = nextPhaseAt(windowOf(record), at);
    if (next < state.nextPhaseAt) state.nextPhaseAt = next;
  }
}

function windowOf({ startAt, endAt, phase }: EventRecord): Window {
  return { startAt, endAt, isClosed: phase === 'closed' };
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

function forget(state: EventsState, now: number): void {
  for (const [eventId, { subject, endAt }] of state.facts) {
    if (endAt >= now - KEEP_MS[subject.type]) continue;
    state.facts.delete(eventId);
    state.records.delete(eventId);
  }
  for (const [trackingId, { endAt }] of state.trackings)
    if (endAt < now - KEEP_MS.posts) state.trackings.delete(trackingId);
}
