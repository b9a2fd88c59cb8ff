import { merge, type Observable } from 'rxjs';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../model/durations.ts';
import { SLEEP_MS } from '../model/forecast/sleep.ts';
import { dropBefore, insertTime, lowerBound } from '../model/sorted-times.ts';
import { type AccountId, limitsOf, type Observation } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { OutputOf, Prediction } from '../records.ts';
import { accountsOf, type Inputs, type Message } from './messages.ts';

/** A post may be seen this long after it was made, so the newest instants are not decided yet. */
const SEEN_WITHIN_MS = MINUTE_MS;
const KEEP_MS = 3 * DAY_MS;

/** A published probability whose instant is not decided yet. */
interface Pending {
  readonly madeAt: number;
  readonly probability: number;
}

export interface SleepState {
  staleAfterMs: number;
  /** Creation times of posts of every kind, ascending. */
  readonly postedAt: number[];
  pending: readonly Pending[];
  /** The hour of the last probability taken, counted from 1970. */
  lastHour: number | null;
  n: number;
  asleep: number;
  /** Sum of the squared distances. */
  squares: number;
}

type From = 'post' | 'prediction' | 'observation';

/**
 * Scores the published sleep probability of each account, once it is known whether the account slept: the first of each
 * hour, as those after it say much the same.
 */
export function sleep(
  { observation$, post$, prediction$ }: Inputs<From>,
  states: ActorStates<SleepState>,
  onFailure: OnFailure,
): Observable<OutputOf<'sleep'>> {
  return merge(
    tagged('post', post$),
    tagged('prediction', prediction$),
    tagged('observation', observation$),
  ).pipe(actors(behaviour, states, onFailure));
}

const behaviour: Behaviour<Message<From>, SleepState, OutputOf<'sleep'>> = {
  name: 'sleep',
  address: (message) => {
    if (message.type !== 'observation') return accountsOf(message);
    const { fact } = message.value;
    if (fact.kind === 'settings') return fact.accounts.map(({ id }) => id);
    return fact.kind === 'tick' ? 'everyone' : [];
  },
  spawn: (account, { type, value }) =>
    type === 'observation' && value.fact.kind === 'settings'
      ? {
          staleAfterMs: limitsOf(value.fact, account).posts,
          postedAt: [],
          pending: [],
          lastHour: null,
          n: 0,
          asleep: 0,
          squares: 0,
        }
      : undefined,
  receive(state, { type, value }, emit, account) {
    switch (type) {
      case 'post': {
        const { record, at } = value.output;
        if (value.previous === undefined) insertTime(state.postedAt, record.createdAt);
        dropBefore(state.postedAt, at - KEEP_MS);
        return;
      }
      case 'prediction':
        take(state, value.record);
        return;
      case 'observation':
        if (value.fact.kind === 'settings') state.staleAfterMs = limitsOf(value.fact, account).posts;
        else if (state.pending.length > 0) decide(state, account, value, emit);
    }
  },
};

function take(state: SleepState, { origin, horizonHours, madeAt, sleepProbability }: Prediction): void {
  const hour = Math.floor(madeAt / HOUR_MS);
  if (origin !== 'live' || horizonHours !== null || hour === state.lastHour) return;
  state.lastHour = hour;
  state.pending = [...state.pending, { madeAt, probability: sleepProbability }];
}

/** Decides what can be decided while posts are fresh, so that an outage does not look like sleep. */
function decide(
  state: SleepState,
  account: AccountId,
  { seq, receivedAt: at, fact }: Observation,
  emit: (output: OutputOf<'sleep'>) => void,
): void {
  if (fact.kind !== 'tick') return;
  const age = fact.ages[`posts:${account}`];
  if (age === undefined || age > state.staleAfterMs) return;
  const left: Pending[] = [];
  for (const pending of state.pending) {
    const isAsleep = isAsleepAt(state.postedAt, pending.madeAt, at - age - SEEN_WITHIN_MS);
    if (isAsleep === null) {
      if (pending.madeAt >= at - KEEP_MS) left.push(pending);
      continue;
    }
    const { madeAt, probability } = pending;
    const distance = probability - Number(isAsleep);
    state.n += 1;
    state.asleep += Number(isAsleep);
    state.squares += distance * distance;
    const share = state.asleep / state.n;
    const scores = { n: state.n, brier: state.squares / state.n, baselineBrier: share * (1 - share) };
    const record = { account, madeAt, probability, isAsleep, ...scores };
    emit({ stream: 'sleep', key: account, seq, at, cause: 'clock', record });
  }
  if (left.length < state.pending.length) state.pending = left;
}

/** Whether an instant lies in a long silence, as known from all posts made up to `knownTo`; null while that is open. */
function isAsleepAt(postedAt: readonly number[], at: number, knownTo: number): boolean | null {
  const next = lowerBound(postedAt, at);
  const before = postedAt[next - 1];
  if (before === undefined || knownTo < at) return null;
  const after = postedAt[next] ?? Number.POSITIVE_INFINITY;
  if (after <= knownTo) return after - before >= SLEEP_MS;
  return Math.min(after, knownTo) - before >= SLEEP_MS ? true : null;
}
