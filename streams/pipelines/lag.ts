import { merge, type Observable } from 'rxjs';
import { DAY_MS, HOUR_MS } from '../model/durations.ts';
import { median, percentile } from '../model/percentile.ts';
import type { AccountId } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { OutputOf, Percentiles, Trigger } from '../records.ts';
import { accountsOf, type CountersChange, type Inputs, type Message } from './messages.ts';

/** A counter that is still behind by then counts differently, and its difference is no lag. */
const GIVE_UP_MS = 2 * HOUR_MS;
/** How long an event is followed after its end: counters correct late. */
const FOLLOW_MS = 7 * DAY_MS;

type Counter = 'oracle' | 'ui';
const COUNTERS: readonly Counter[] = ['oracle', 'ui'];

interface Sample {
  readonly at: number;
  readonly lagMs: number;
}

/**
 * A window, and by how many posts each counter is behind for good: it counts differently, or never saw posts that were
 * deleted. Null while the counter is unknown.
 */
interface LagWindow {
  readonly startAt: number;
  readonly endAt: number;
  readonly oracle: number | null;
  readonly ui: number | null;
}

export interface LagState {
  readonly seen: Sample[];
  readonly oracle: Sample[];
  readonly ui: Sample[];
  /** Creation times of counted posts, ascending, that each counter is not yet known to include. */
  awaiting: Readonly<Record<Counter, readonly number[]>>;
  readonly windows: Map<number, LagWindow>;
}

type From = 'post' | 'counters' | 'observation';

/**
 * How long after its creation a post was seen by us, counted by the oracle and shown by the trading page. The latter
 * two follow from the counters: of the posts that a counter will ever include, one that is d behind includes all but
 * the newest d. Of a post that was found in the oracle's list the list itself says when the oracle took it in.
 */
export function lag(
  { observation$, post$, counters$ }: Inputs<From>,
  states: ActorStates<LagState>,
  onFailure: OnFailure,
): Observable<OutputOf<'lag'>> {
  return merge(
    tagged('post', post$),
    tagged('counters', counters$),
    tagged('observation', observation$),
  ).pipe(actors(behaviour, states, onFailure));
}

const behaviour: Behaviour<Message<From>, LagState, OutputOf<'lag'>> = {
  name: 'lag',
  address: (message) => {
    if (message.type === 'observation') return message.value.fact.kind === 'tick' ? 'everyone' : [];
    return isMeasured(message) ? accountsOf(message) : [];
  },
  spawn: () => ({ seen: [], oracle: [], ui: [], awaiting: { oracle: [], ui: [] }, windows: new Map() }),
  receive,
};

function receive(
  state: LagState,
  message: Message<From>,
  emit: (output: OutputOf<'lag'>) => void,
  account: AccountId,
): void {
  let hasChanged = false;
  const { seq, at, cause } = triggerOf(message);
  const { type, value } = message;
  if (type === 'post') {
    const { createdAt, isCounted, oracleAt } = value.output.record;
    if (cause === 'post_deleted') {
      giveUp(state, (awaited) => awaited === createdAt && isCounted);
    } else {
      addSample(state.seen, at, at - createdAt);
      hasChanged = true;
      if (isCounted && oracleAt !== null) addSample(state.oracle, at, oracleAt - createdAt);
      if (isCounted) awaitPost(state, createdAt, oracleAt === null ? COUNTERS : ['ui']);
    }
  } else if (type === 'counters') {
    const counter = cause === 'oracle' ? 'oracle' : 'ui';
    const included = newlyIncluded(state, counter, value, at);
    for (const createdAt of included) addSample(state[counter], at, at - createdAt);
    hasChanged = included.length > 0;
  } else {
    giveUp(state, (createdAt) => createdAt < at - GIVE_UP_MS);
  }

  for (const samples of [state.seen, state.oracle, state.ui]) {
    hasChanged = dropBefore(samples, at - DAY_MS) || hasChanged;
  }
  if (!hasChanged) return;
  const record = {
    account,
    seen: percentiles(state.seen),
    oracle: percentiles(state.oracle),
    ui: percentiles(state.ui),
  };
  emit({ stream: 'lag', key: account, seq, at, cause, record });
}

/** Only posts found by live polls, their deletions, and changes of the two other counters show a lag. */
function isMeasured({ type, value }: Message<'post' | 'counters'>): boolean {
  const { cause } = value.output;
  return type === 'post'
    ? (cause === 'new_post' || cause === 'post_deleted') && (value.via === 'poll' || value.via === 'list')
    : cause === 'oracle' || cause === 'ui';
}

function triggerOf({ type, value }: Message<From>): Trigger {
  return type === 'observation' ? { seq: value.seq, at: value.receivedAt, cause: 'clock' } : value.output;
}

function awaitPost(state: LagState, createdAt: number, counters: readonly Counter[]): void {
  for (const counter of counters) {
    const awaiting = [...state.awaiting[counter], createdAt].sort(ascending);
    state.awaiting = { ...state.awaiting, [counter]: awaiting };
  }
}

/** Awaits these posts no longer: from now on the counters are behind by them for good. */
function giveUp(state: LagState, isGivenUp: (createdAt: number) => boolean): void {
  for (const counter of COUNTERS) {
    const lost = state.awaiting[counter].filter(isGivenUp);
    if (lost.length === 0) continue;
    stopAwaiting(state, counter, lost);
    for (const [eventId, window] of state.windows) {
      const behind = window[counter];
      if (behind === null) continue;
      const more = lost.filter((createdAt) => isIn(window, createdAt)).length;
      state.windows.set(eventId, { ...window, [counter]: behind + more });
    }
  }
}

/** The awaited posts that a change of a counter shows to be included. They are awaited no longer. */
function newlyIncluded(
  state: LagState,
  counter: Counter,
  { output, event }: CountersChange,
  at: number,
): readonly number[] {
  const { settlementDelta, displayDelta } = output.record;
  const behind = counter === 'oracle' ? settlementDelta : displayDelta;
  const { eventId, startAt, endAt } = event;
  if (behind === null || startAt === null) return [];
  const known = state.windows.get(eventId) ?? { oracle: null, ui: null };
  const inWindow = state.awaiting[counter].filter((createdAt) => isIn({ startAt, endAt }, createdAt));
  // At first sight only awaited posts can be late. A counter that catches up was behind by less for good.
  const forGood = Math.min(known[counter] ?? Math.max(0, behind - inWindow.length), behind);
  state.windows.set(eventId, { ...known, startAt, endAt, [counter]: forGood });
  for (const [id, window] of state.windows) if (window.endAt < at - FOLLOW_MS) state.windows.delete(id);
  const included = inWindow.slice(0, Math.max(0, inWindow.length - (behind - forGood)));
  stopAwaiting(state, counter, included);
  return included;
}

function isIn({ startAt, endAt }: Pick<LagWindow, 'startAt' | 'endAt'>, createdAt: number): boolean {
  return startAt <= createdAt && createdAt < endAt;
}

function stopAwaiting(state: LagState, counter: Counter, taken: readonly number[]): void {
  if (taken.length === 0) return;
  const left = [...state.awaiting[counter]];
  for (const time of taken) left.splice(left.indexOf(time), 1);
  state.awaiting = { ...state.awaiting, [counter]: left };
}

function addSample(samples: Sample[], at: number, lagMs: number): void {
  const last = samples.at(-1);
  samples.push({ at, lagMs: Math.max(0, lagMs) });
  // Samples are out of order after the clock was set back.
  if (last !== undefined && last.at > at) samples.sort((a, b) => a.at - b.at);
}

function dropBefore(samples: Sample[], from: number): boolean {
  const firstKept = samples.findIndex((sample) => sample.at >= from);
  if (firstKept === 0 || samples.length === 0) return false;
  samples.splice(0, firstKept === -1 ? samples.length : firstKept);
  return true;
}

function percentiles(samples: readonly Sample[]): Percentiles {
  const lags = samples.map((sample) => sample.lagMs).sort(ascending);
  return {
    n: lags.length,
    p50: median(lags),
    p90: percentile(lags, 90),
    p99: percentile(lags, 99),
  };
}

function ascending(a: number, b: number): number {
  return a - b;
}
