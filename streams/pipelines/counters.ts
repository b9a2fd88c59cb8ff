import { merge, type Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { isSame } from '../model/is-same.ts';
import { countBetween } from '../model/sorted-times.ts';
import { TimeList } from '../model/time-list.ts';
import {
  type AccountId,
  type AgeLimits,
  type HistoryFact,
  INPUTS,
  type Input,
  limitsOf,
  type Observation,
  type PostsVia,
  type SourceName,
  viaOf,
} from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { Counters, EventRecord, Post, Trigger } from '../records.ts';
import { accountsOf, type CountersChange, type Inputs, type Message, type OwnersOf } from './messages.ts';
import { ownValueOf, sourceOf, staleInputs, staleValues, type TickAges } from './staleness.ts';

/** How long an event is counted after its end: the oracle corrects late. */
const FOLLOW_MS = 7 * DAY_MS;
const NOTHING_STALE: readonly Input[] = [];

/** How far a reading of the past has come; null before its first page. */
type Reading = Pick<HistoryFact, 'fromAt' | 'isDone'> | null;

export interface CountersState {
  staleAfterMs: AgeLimits;
  via: PostsVia;
  coveredFrom: number | null;
  readonly history: Record<HistoryFact['reading'], Reading>;
  /** Creation times of the counted posts, and of the counted posts that were found deleted. */
  readonly countedAt: TimeList;
  readonly goneAt: TimeList;
  /** The oracle's totals by tracking. */
  readonly totals: Map<string, number>;
  readonly events: Map<number, { event: EventRecord; ui: number | null; counters: Counters | null }>;
  /** Inputs that are stale in every event, and values of the account's sources that are in their own. */
  stale: readonly Input[];
  staleValues: readonly string[];
}

type From = 'post' | 'event' | 'observation';

/**
 * Three counters for each event of an account. Our own count is computed again from the creation times at each change,
 * so it stays right when a window moves, or a post comes late or is reclassified.
 */
export function counters(
  { observation$, post$, event$ }: Inputs<From>,
  states: ActorStates<CountersState>,
  onFailure: OnFailure,
  ownersOf: OwnersOf,
): Observable<CountersChange> {
  return merge(tagged('post', post$), tagged('event', event$), tagged('observation', observation$)).pipe(
    actors({ ...behaviour, address: addressWith(ownersOf) }, states, onFailure),
  );
}

type CountersBehaviour = Behaviour<Message<From>, CountersState, CountersChange>;

function addressWith(ownersOf: OwnersOf): CountersBehaviour['address'] {
  return (message) => {
    if (message.type !== 'observation') return accountsOf(message);
    const { fact } = message.value;
    switch (fact.kind) {
      case 'settings':
        return fact.accounts.map((account) => account.id);
      case 'coverage':
      case 'history':
      case 'oracle':
        return [fact.account];
      case 'ui':
        return ownersOf(fact.eventId);
      case 'tick':
        return 'everyone';
      default:
        return [];
    }
  };
}

const behaviour: Omit<CountersBehaviour, 'address'> = {
  name: 'counters',
  spawn: (account, { type, value }) =>
    type === 'observation' && value.fact.kind === 'settings'
      ? {
          staleAfterMs: limitsOf(value.fact, account),
          via: viaOf(value.fact, account),
          coveredFrom: null,
          history: { timeline: null, archive: null },
          countedAt: new TimeList(),
          goneAt: new TimeList(),
          totals: new Map(),
          events: new Map(),
          stale: INPUTS,
          staleValues: [],
        }
      : undefined,
  receive,
};

function receive(
  state: CountersState,
  { type, value }: Message<From>,
  emit: (change: CountersChange) => void,
  account: AccountId,
): void {
  if (type === 'post') {
    recordPost(state, value.output.record, value.previous);
    recount(state, account, value.output, emit);
  } else if (type === 'event') {
    const event = value.record;
    const known = state.events.get(event.eventId);
    state.events.set(event.eventId, { event, ui: known?.ui ?? null, counters: known?.counters ?? null });
    for (const [eventId, { event }] of state.events) {
      if (event.endAt < value.at - FOLLOW_MS) state.events.delete(eventId);
    }
    recount(state, account, value, emit, event.eventId);
  } else {
    observe(state, account, value, emit);
  }
}

function observe(
  state: CountersState,
  account: AccountId,
  { seq, receivedAt: at, fact }: Observation,
  emit: (change: CountersChange) => void,
): void {
  switch (fact.kind) {
    case 'settings':
      state.staleAfterMs = limitsOf(fact, account);
      state.via = viaOf(fact, account);
      recount(state, account, { seq, at, cause: 'settings' }, emit);
      return;
    case 'coverage':
      state.coveredFrom = fact.fromAt;
      recount(state, account, { seq, at, cause: 'coverage' }, emit);
      return;
    case 'history':
      recordHistory(state, fact);
      recount(state, account, { seq, at, cause: 'coverage' }, emit);
      return;
    case 'oracle':
      state.totals.set(fact.trackingId, fact.total);
      recount(state, account, { seq, at, cause: 'oracle' }, emit);
      return;
    case 'ui': {
      const known = state.events.get(fact.eventId);
      if (known === undefined) return;
      known.ui = fact.count;
      recount(state, account, { seq, at, cause: 'ui' }, emit, fact.eventId);
      return;
    }
    case 'tick': {
      const stale = staleInputs(state.staleAfterMs, fact, account);
      const values = staleValues(() => state.staleAfterMs, ownAges(state, fact, account));
      if (isSame(stale, state.stale) && isSame(values, state.staleValues)) return;
      state.stale = stale;
      state.staleValues = values;
      recount(state, account, { seq, at, cause: 'clock' }, emit);
      return;
    }
  }
}

/** The values behind that concern the account: those of its own sources, and the prices of its events. */
function ownAges({ events }: CountersState, { ages, lagging }: TickAges, account: AccountId): TickAges {
  if (lagging === undefined) return { ages };
  const own: Record<SourceName, Readonly<Record<string, number>>> = {};
  for (const input of INPUTS) {
    const source = sourceOf(input, account);
    const values = lagging[source];
    if (values === undefined) continue;
    own[source] = input === 'prices' ? only(values, events.keys()) : values;
  }
  return { ages, lagging: own };
}

function only(
  values: Readonly<Record<string, number>>,
  keys: Iterable<number>,
): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const key of keys) {
    const value = values[key];
    if (value !== undefined) found[key] = value;
  }
  return found;
}

function recordHistory({ history }: CountersState, { reading, fromAt, isDone }: HistoryFact): void {
  history[reading] = { fromAt, isDone };
  // The archive is read after the timeline, each time.
  if (reading === 'timeline') history.archive = null;
}

function recordPost(state: CountersState, post: Post, previous: Post | undefined): void {
  if (previous?.isCounted) state.countedAt.remove(previous.createdAt);
  if (previous?.isCounted && previous.deletedAt !== null) state.goneAt.remove(previous.createdAt);
  if (post.isCounted) state.countedAt.insert(post.createdAt);
  if (post.isCounted && post.deletedAt !== null) state.goneAt.insert(post.createdAt);
}

function recount(
  state: CountersState,
  account: AccountId,
  { seq, at, cause }: Trigger,
  emit: (change: CountersChange) => void,
  onlyEvent?: number,
): void {
  for (const known of state.events.values()) {
    const { event } = known;
    if (onlyEvent !== undefined && event.eventId !== onlyEvent) continue;
    const counters = countersOf(state, account, event, known.ui, at);
    if (isSame(known.counters, counters)) continue;
    known.counters = counters;
    const key = String(event.eventId);
    emit({ output: { stream: 'counters', key, seq, at, cause, record: counters }, event });
  }
}

function countersOf(
  state: CountersState,
  account: AccountId,
  event: EventRecord,
  ui: number | null,
  at: number,
): Counters {
  const { startAt, endAt } = event;
  const isCovered = startAt !== null && state.coveredFrom !== null && state.coveredFrom <= startAt;
  const real = isCovered ? countBetween(state.countedAt.times, startAt, endAt) : null;
  const oracle = event.trackingId === null ? null : (state.totals.get(event.trackingId) ?? null);
  return {
    eventId: event.eventId,
    account,
    oracle,
    real,
    ui,
    settlementDelta: minus(real, oracle),
    displayDelta: minus(real, ui),
    internalDelta: minus(ui, oracle),
    // The oracle's list does not tell of deletions.
    deleted: isCovered && state.via === 'timeline' ? countBetween(state.goneAt.times, startAt, endAt) : null,
    via: state.via,
    stale: event.phase === 'active' ? staleIn(state, account, event) : NOTHING_STALE,
    historyPercent: isCovered ? 100 : percentRead(state, startAt, at),
  };
}

function staleIn(state: CountersState, account: AccountId, event: EventRecord): readonly Input[] {
  const isOwnStale = (input: Input) =>
    state.staleValues.includes(`${sourceOf(input, account)}/${ownValueOf(input, event)}`);
  return INPUTS.filter((input) => state.stale.includes(input) || isOwnStale(input));
}

/** How much of the time since `startAt` was read, the timeline and the archive each being one half if both are read. */
function percentRead({ via, history }: CountersState, startAt: number | null, at: number): number | null {
  const { archive } = history;
  const timeline = via === 'timeline' ? history.timeline : archive;
  if (startAt === null || (timeline?.isDone && archive?.isDone)) return null;
  const share = (reading: Reading) => {
    if (reading === null) return 0;
    return reading.isDone ? 1 : Math.min(1, Math.max(0, at - reading.fromAt) / Math.max(1, at - startAt));
  };
  return Math.min(99, Math.floor(50 * (share(timeline) + share(archive))));
}

/** The time back to which the timeline was read; undefined before that. */
export function timelineFrom(state: CountersState | null | undefined): number | undefined {
  const timeline = state?.history.timeline;
  return timeline?.isDone ? timeline.fromAt : undefined;
}

function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}
