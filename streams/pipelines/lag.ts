import { merge, type Observable } from 'rxjs';
import { DAY_MS, HOUR_MS } from '../model/durations.ts';
import { percentile } from '../model/percentile.ts';
import type { AccountId } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { OutputOf, Percentiles, Trigger } from '../records.ts';
import { accountsOf, type CountersChange, type Inputs, type Message } from './messages.ts';

/** A counter that is still behind by then counts differently, and its difference is no lag. */
const GIVE_UP_MS = 6 * HOUR_MS;

interface Sample {
  readonly at: number;
  readonly lagMs: number;
}

export interface LagState {
  readonly seen: Sample[];
  readonly oracle: Sample[];
  readonly ui: Sample[];
  /** Creation times of counted posts, ascending, that the counter is not yet known to include. */
  awaitingOracle: readonly number[];
  awaitingUi: readonly number[];
}

type From = 'post' | 'counters' | 'observation';

/**
 * How long after its creation a post was seen by us, counted by the oracle and shown by the trading page. The latter
 * two follow from the counters: a counter that is d behind includes all but the newest d posts. Of a post that was found
 * in the oracle's list the list itself says when the oracle took it in.
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
  spawn: () => ({ seen: [], oracle: [], ui: [], awaitingOracle: [], awaitingUi: [] }),
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
    addSample(state.seen, at, at - createdAt);
    hasChanged = true;
    if (isCounted) {
      if (oracleAt !== null) addSample(state.oracle, at, oracleAt - createdAt);
      else state.awaitingOracle = [...state.awaitingOracle, createdAt].sort(ascending);
      state.awaitingUi = [...state.awaitingUi, createdAt].sort(ascending);
    }
  } else if (type === 'counters') {
    const isOracle = cause === 'oracle';
    const awaiting = isOracle ? state.awaitingOracle : state.awaitingUi;
    const samples = isOracle ? state.oracle : state.ui;
    const included = newlyIncluded(awaiting, value);
    for (const createdAt of included) addSample(samples, at, at - createdAt);
    hasChanged = included.length > 0;
    if (isOracle) state.awaitingOracle = without(awaiting, included);
    else state.awaitingUi = without(awaiting, included);
  } else {
    state.awaitingOracle = youngerThan(state.awaitingOracle, at - GIVE_UP_MS);
    state.awaitingUi = youngerThan(state.awaitingUi, at - GIVE_UP_MS);
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

/** Only posts found by live polls and changes of the two other counters show a lag. */
function isMeasured({ type, value }: Message<'post' | 'counters'>): boolean {
  const { cause } = value.output;
  return type === 'post'
    ? cause === 'new_post' && (value.via === 'poll' || value.via === 'list')
    : cause === 'oracle' || cause === 'ui';
}

function triggerOf({ type, value }: Message<From>): Trigger {
  return type === 'observation' ? { seq: value.seq, at: value.receivedAt, cause: 'clock' } : value.output;
}

function newlyIncluded(awaiting: readonly number[], { output, event }: CountersChange): readonly number[] {
  const behind = output.cause === 'oracle' ? output.record.settlementDelta : output.record.displayDelta;
  const { startAt, endAt } = event;
  if (behind === null || startAt === null || awaiting.length === 0) return [];
  const inWindow = awaiting.filter((createdAt) => startAt <= createdAt && createdAt < endAt);
  return inWindow.slice(0, Math.max(0, inWindow.length - behind));
}

function without(times: readonly number[], taken: readonly number[]): readonly number[] {
  if (taken.length === 0) return times;
  const left = [...times];
  for (const time of taken) left.splice(left.indexOf(time), 1);
  return left;
}

function youngerThan(times: readonly number[], from: number): readonly number[] {
  const first = times[0];
  return first !== undefined && first < from ? times.filter((time) => time >= from) : times;
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
    p50: percentile(lags, 50),
    p90: percentile(lags, 90),
    p99: percentile(lags, 99),
  };
}

function ascending(a: number, b: number): number {
  return a - b;
}
