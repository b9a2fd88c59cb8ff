import { merge, type Observable } from 'rxjs';
import { DAY_MS, HOUR_MS } from '../model/durations.ts';
import { percentile } from '../model/percentile.ts';
import type { AccountId, Observation } from '../observation.ts';
import { type ActorFailure, type ActorStates, actors } from '../operators/actors.ts';
import type { Cause, OutputOf, Percentiles } from '../records.ts';
import type { CountersChange } from './counters.ts';
import type { PostChange } from './posts.ts';

/** A counter that has not caught up by then differs in kind, not in time: no lag is read off it. */
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

export type LagMessage = Observation | PostChange | CountersChange;

/**
 * How long after its creation a post was seen by us, counted by the oracle and shown by the trading page.
 * The latter two are read off the counters: when a counter is d behind, all but the newest d posts are in it.
 */
export function lag(
  observation$: Observable<Observation>,
  post$: Observable<PostChange>,
  counters$: Observable<CountersChange>,
  states: ActorStates<LagState>,
  onFailure: (failure: ActorFailure<LagMessage>) => void,
): Observable<OutputOf<'lag'>> {
  return merge(post$, counters$, observation$).pipe(
    actors<LagMessage, LagState, OutputOf<'lag'>>(behaviour, states, onFailure),
  );
}

const behaviour = {
  name: 'lag',
  address: (message: LagMessage): readonly AccountId[] | 'everyone' => {
    if ('via' in message) {
      const isLive = message.output.cause === 'new_post' && message.via === 'poll';
      return isLive ? [message.output.record.account] : [];
    }
    if ('event' in message) {
      const { cause, record } = message.output;
      return cause === 'oracle' || cause === 'ui' ? [record.account] : [];
    }
    return message.fact.kind === 'tick' ? 'everyone' : [];
  },
  spawn: (): LagState => ({ seen: [], oracle: [], ui: [], awaitingOracle: [], awaitingUi: [] }),
  receive,
};

function receive(
  state: LagState,
  message: LagMessage,
  emit: (output: OutputOf<'lag'>) => void,
  account: AccountId,
): void {
  let hasChanged = false;
  let cause: Cause = 'clock';
  const { seq } = 'fact' in message ? message : message.output;
  const at = 'fact' in message ? message.receivedAt : message.output.at;
  if ('via' in message) {
    const { createdAt, isCounted } = message.output.record;
    cause = message.output.cause;
    addSample(state.seen, at, createdAt);
    hasChanged = true;
    if (isCounted) {
      state.awaitingOracle = [...state.awaitingOracle, createdAt].sort(ascending);
      state.awaitingUi = [...state.awaitingUi, createdAt].sort(ascending);
    }
  } else if ('event' in message) {
    cause = message.output.cause;
    const isOracle = cause === 'oracle';
    const awaiting = isOracle ? state.awaitingOracle : state.awaitingUi;
    const samples = isOracle ? state.oracle : state.ui;
    const included = newlyIncluded(awaiting, message);
    for (const createdAt of included) addSample(samples, at, createdAt);
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

function addSample(samples: Sample[], at: number, createdAt: number): void {
  const last = samples.at(-1);
  samples.push({ at, lagMs: Math.max(0, at - createdAt) });
  // After a clock was set back, the order of arrival is not that of time.
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
