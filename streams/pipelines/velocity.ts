import { merge, type Observable } from 'rxjs';
import { HOUR_MS } from '../model/durations.ts';
import { countBetween, dropBefore, insertTime, removeTime } from '../model/sorted-times.ts';
import { type AccountId, viaOf } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { OutputOf, Post, Trigger, Velocity } from '../records.ts';
import { accountsOf, type Inputs, type Message } from './messages.ts';

/** Longer than the hour, so that a clock that is wrong by a day for a while loses nothing. */
const KEEP_MS = 72 * HOUR_MS;

export interface VelocityState {
  /** Creation times, ascending. */
  readonly allAt: number[];
  readonly countedAt: number[];
  /** From here on the posts are known. An earlier hour may only look quiet. */
  coveredFrom: number | null;
  /** The oracle's list has counted posts only. */
  hasAll: boolean;
  last: Velocity | null;
}

type From = 'post' | 'observation';

/** The number of posts created in the last hour, emitted when it changes. It begins as unknown. */
export function velocity(
  { observation$, post$ }: Inputs<From>,
  states: ActorStates<VelocityState>,
  onFailure: OnFailure,
): Observable<OutputOf<'velocity'>> {
  return merge(tagged('post', post$), tagged('observation', observation$)).pipe(
    actors(behaviour, states, onFailure),
  );
}

const behaviour: Behaviour<Message<From>, VelocityState, OutputOf<'velocity'>> = {
  name: 'velocity',
  address: (message) => {
    if (message.type !== 'observation') return accountsOf(message);
    const { fact } = message.value;
    if (fact.kind === 'tick') return 'everyone';
    if (fact.kind === 'settings') return fact.accounts.map(({ id }) => id);
    return fact.kind === 'coverage' ? [fact.account] : [];
  },
  spawn: () => ({ allAt: [], countedAt: [], coveredFrom: null, hasAll: true, last: null }),
  receive,
};

function receive(
  state: VelocityState,
  message: Message<From>,
  emit: (output: OutputOf<'velocity'>) => void,
  account: AccountId,
): void {
  const { seq, at, cause } = triggerOf(message);
  const { type, value } = message;
  const from = at - HOUR_MS;
  if (type === 'post') recordPost(state, value.output.record, value.previous, at - KEEP_MS);
  else if (value.fact.kind === 'coverage') state.coveredFrom = value.fact.fromAt;
  else if (value.fact.kind === 'settings') state.hasAll = viaOf(value.fact, account) === 'timeline';
  dropBefore(state.allAt, at - KEEP_MS);
  dropBefore(state.countedAt, at - KEEP_MS);

  const { last } = state;
  const isCovered = state.coveredFrom !== null && state.coveredFrom <= from;
  const all1h = isCovered && state.hasAll ? countBetween(state.allAt, from + 1, at + 1) : null;
  const counted1h = isCovered ? countBetween(state.countedAt, from + 1, at + 1) : null;
  if ((last?.all1h ?? null) === all1h && (last?.counted1h ?? null) === counted1h) return;
  const record = { account, counted1h, all1h };
  state.last = record;
  emit({ stream: 'velocity', key: account, seq, at, cause, record });
}

function triggerOf({ type, value }: Message<From>): Trigger {
  if (type === 'post') return value.output;
  const { seq, receivedAt: at, fact } = value;
  return { seq, at, cause: fact.kind === 'coverage' || fact.kind === 'settings' ? fact.kind : 'clock' };
}

function recordPost(state: VelocityState, post: Post, previous: Post | undefined, from: number): void {
  if (previous !== undefined) removeTime(state.allAt, previous.createdAt);
  if (previous?.isCounted) removeTime(state.countedAt, previous.createdAt);
  if (post.createdAt < from) return;
  insertTime(state.allAt, post.createdAt);
  if (post.isCounted) insertTime(state.countedAt, post.createdAt);
}
