import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import type { Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { isSame } from '../model/is-same.ts';
import { isPartition } from '../model/partition.ts';
import { nextPhaseAt, phaseAt, type Window } from '../model/phase.ts';
import { matchTracking } from '../model/tracking-match.ts';
import type { AccountId, EventFact, Fact, Observation, Subject, TrackingFact } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import type { Cause, EventRecord, OutputOf } from '../records.ts';
import type { Inputs, OwnersOf } from './messages.ts';

/**
 * An event is forgotten this long after its end; its outputs stay in the store. There are hundreds of crypto events a
 * day, and they settle at once.
 */
const KEEP_MS = { posts: 100 * DAY_MS, crypto: 2 * DAY_MS };
/** Nobody counts an event any more so long after its end. */
const FOLLOWED_MS = 8 * DAY_MS;
/** In this time what the market and the oracle say of an event that was just found is complete. */
const COMPLETE_MS = 2 * DAY_MS;

interface SettledEvent {
  readonly endAt: number;
  /** The hash of its last listing. */
  readonly hash: string;
}

/** The state of the events of one account, or of all that are about crypto prices. */
export interface EventsState {
  readonly facts: Map<number, EventFact>;
  readonly trackings: Map<string, TrackingFact>;
  readonly records: Map<number, EventRecord>;
  /** When each record last changed. UTC ms. */
  readonly changedAt: Map<number, number>;
  /** Of events that are over for long only what tells whether a listing says something new. */
  readonly settled: Map<number, SettledEvent>;
  /** When the clock alone next changes a phase, and when that was last computed. UTC ms. */
  nextPhaseAt: number;
  lookedAt: number;
}

export type JoinedEvents = Pick<EventsState, 'facts' | 'trackings' | 'records'>;

/** The events of all accounts in one state, as checkpoints of earlier versions have them, by account. */
export function splitEvents({ facts, trackings, records }: JoinedEvents): ActorStates<EventsState> {
  const states = new Map<string, EventsState>();
  const stateOf = (key: string) => {
    // All are looked at with the next tick.
    const state = states.get(key) ?? { ...emptyEvents(), nextPhaseAt: 0 };
    states.set(key, state);
    return state;
  };
  for (const [eventId, fact] of facts) stateOf(keyOf(fact.subject)).facts.set(eventId, fact);
  for (const [eventId, record] of records) stateOf(keyOf(record.subject)).records.set(eventId, record);
  for (const [id, tracking] of trackings) stateOf(OF_ACCOUNT + tracking.account).trackings.set(id, tracking);
  return states;
}

/** The key of the actor that holds an event. Not part of the state: a restart makes it again. */
type EventHolders = Map<number, string>;

export function eventHolders(states: ActorStates<EventsState>): EventHolders {
  const holders: EventHolders = new Map();
  for (const [key, state] of states) {
    for (const eventId of [...(state?.records.keys() ?? []), ...(state?.settled.keys() ?? [])]) {
      holders.set(eventId, key);
    }
  }
  return holders;
}

/** An event that is not known yet, or no longer, belongs to nobody. */
export function ownersIn(holders: EventHolders): OwnersOf {
  return (eventId) => {
    const holder = holders.get(eventId);
    return holder?.startsWith(OF_ACCOUNT) ? [holder.slice(OF_ACCOUNT.length)] : NOBODY;
  };
}

const OF_ACCOUNT = 'posts:';
const NOBODY: readonly AccountId[] = [];

function keyOf(subject: Subject): string {
  return subject.type === 'posts' ? OF_ACCOUNT + subject.account : 'crypto';
}

/**
 * Market events joined with the oracle's windows. The clock opens them, the market closes them. Each account has an actor
 * of its own, so nothing about its events depends on what is known of others.
 */
export function events(
  { observation$ }: Inputs<'observation'>,
  states: ActorStates<EventsState>,
  onFailure: OnFailure,
  holders: EventHolders = eventHolders(states),
): Observable<OutputOf<'events'>> {
  return observation$.pipe(actors(behaviourWith(holders), states, onFailure));
}

function behaviourWith(holders: EventHolders): Behaviour<Observation, EventsState, OutputOf<'events'>> {
  return {
    name: 'events',
    address: ({ fact }) => {
      switch (fact.kind) {
        case 'tick':
          return 'everyone';
        case 'event': {
          const key = keyOf(fact.subject);
          const holder = holders.get(fact.eventId) ?? key;
          // The market may say that an event is about something else than it was.
          return holder === key ? [key] : [holder, key];
        }
        case 'tracking':
          return [OF_ACCOUNT + fact.account];
        default:
          return [];
      }
    },
    spawn: emptyEvents,
    receive(state, observation, emit, key) {
      const { receivedAt: now, fact } = observation;
      const isDue = now >= state.nextPhaseAt || now < state.lookedAt;
      if (fact.kind === 'tick' && !isDue) return;
      if (fact.kind === 'event' && keyOf(fact.subject) !== key) {
        drop(state, fact.eventId, holders);
        return;
      }
      if (fact.kind === 'event') {
        const settled = state.settled.get(fact.eventId);
        if (settled !== undefined && settled.hash === hashOf(fact)) return;
        state.settled.delete(fact.eventId);
        state.facts.set(fact.eventId, fact);
        holders.set(fact.eventId, key);
      }
      if (fact.kind === 'tracking') state.trackings.set(fact.trackingId, fact);
      // Any fact may be the first one after a phase change is due, so all events are checked, not only its own.
      const due = isDue ? outOfPhase(state, now) : [];
      review(state, new Set([...due, ...touchedBy(state, fact)]), observation, emit);
      // Last, so that an event that ended during a long pause is emitted as ended before it is forgotten.
      if (!isDue) return;
      settle(state, now);
      forget(state, now, holders);
    },
  };
}

function emptyEvents(): EventsState {
  return {
    facts: new Map(),
    trackings: new Map(),
    records: new Map(),
    changedAt: new Map(),
    settled: new Map(),
    nextPhaseAt: Number.MAX_SAFE_INTEGER,
    lookedAt: 0,
  };
}

function hashOf(fact: EventFact): string {
  return bytesToHex(sha256(JSON.stringify(fact)));
}

function outOfPhase(state: EventsState, now: number): readonly EventFact[] {
  return [...state.facts.values()].filter(({ eventId }) => {
    const known = state.records.get(eventId);
    return known !== undefined && phaseAt(windowOf(known), now) !== known.phase;
  });
}

function touchedBy(state: EventsState, fact: Fact): Iterable<EventFact> {
  if (fact.kind === 'event') return [fact];
  // A new window may match any event of the account, or match it better than another window did.
  return fact.kind === 'tracking' ? state.facts.values() : [];
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
    state.changedAt.set(record.eventId, at);
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

function drop(state: EventsState, eventId: number, holders: EventHolders): void {
  leave(state, eventId);
  state.settled.delete(eventId);
  holders.delete(eventId);
}

function leave({ facts, records, changedAt }: EventsState, eventId: number): void {
  facts.delete(eventId);
  records.delete(eventId);
  changedAt.delete(eventId);
}

/** An event without a window of the oracle may still get one, so its listing is kept. */
function settle(state: EventsState, now: number): void {
  for (const [eventId, fact] of state.facts) {
    const record = state.records.get(eventId);
    const isOver = record?.phase === 'closed' && record.trackingId !== null && fact.endAt < now - FOLLOWED_MS;
    if (!isOver || (state.changedAt.get(eventId) ?? 0) > now - COMPLETE_MS) continue;
    leave(state, eventId);
    state.settled.set(eventId, { endAt: fact.endAt, hash: hashOf(fact) });
  }
}

function forget(state: EventsState, now: number, holders: EventHolders): void {
  for (const [eventId, { subject, endAt }] of state.facts) {
    if (endAt < now - KEEP_MS[subject.type]) drop(state, eventId, holders);
  }
  for (const [eventId, { endAt }] of state.settled) {
    if (endAt < now - KEEP_MS.posts) drop(state, eventId, holders);
  }
  for (const [trackingId, { endAt }] of state.trackings)
    if (endAt < now - KEEP_MS.posts) state.trackings.delete(trackingId);
}
