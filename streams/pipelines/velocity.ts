import { merge, type Observable } from 'rxjs';
import { HOUR_MS } from '../model/durations.ts';
import { countBetween, insertTime, lowerBound, removeTime } from '../model/sorted-times.ts';
import type { AccountId, Observation } from '../observation.ts';
import { type ActorFailure, type ActorStates, actors } from '../operators/actors.ts';
import type { OutputOf, Post, Velocity } from '../records.ts';
import type { PostChange } from './posts.ts';

/** Kept beyond the hour, so that nothing is lost by a clock set wrong by a day, be it first ahead and then behind. */
const KEEP_MS = 72 * HOUR_MS;

export interface VelocityState {
  /** Creation times, ascending. */
  readonly allAt: number[];
  readonly countedAt: number[];
  /** From when on the posts are known: a quiet hour cannot be told from an unread one. */
  coveredFrom: number | null;
  last: Velocity | null;
}

export type VelocityMessage = Observation | PostChange;

/** Posts created in the last hour, emitted when the number changes. Drops a post an hour after its creation. */
export function velocity(
  observation$: Observable<Observation>,
  post$: Observable<PostChange>,
  states: ActorStates<VelocityState>,
  onFailure: (failure: ActorFailure<VelocityMessage>) => void,
): Observable<OutputOf<'velocity'>> {
  return merge(post$, observation$).pipe(
    actors<VelocityMessage, VelocityState, OutputOf<'velocity'>>(behaviour, states, onFailure),
  );
}

const behaviour = {
  name: 'velocity',
  address: (message: VelocityMessage): readonly AccountId[] | 'everyone' => {
    if ('output' in message) return [message.output.record.account];
    if (message.fact.kind === 'tick') return 'everyone';
    return message.fact.kind === 'coverage' ? [message.fact.account] : [];
  },
  spawn: (): VelocityState => ({ allAt: [], countedAt: [], coveredFrom: null, last: null }),
  receive,
};

function receive(
  state: VelocityState,
  message: VelocityMessage,
  emit: (output: OutputOf<'velocity'>) => void,
  account: AccountId,
): void {
  const isPost = 'output' in message;
  const { seq } = isPost ? message.output : message;
  const at = isPost ? message.output.at : message.receivedAt;
  const from = at - HOUR_MS;
  if (isPost) recordPost(state, message.output.record, message.previous, at - KEEP_MS);
  else if (message.fact.kind === 'coverage') state.coveredFrom = message.fact.fromAt;
  dropBefore(state.allAt, at - KEEP_MS);
  dropBefore(state.countedAt, at - KEEP_MS);
  if (state.coveredFrom === null || state.coveredFrom > from) return;

  const { last } = state;
  const all1h = countBetween(state.allAt, from + 1, at + 1);
  const counted1h = countBetween(state.countedAt, from + 1, at + 1);
  if (last !== null && last.all1h === all1h && last.counted1h === counted1h) return;
  const record = { account, counted1h, all1h };
  state.last = record;
  const cause = isPost ? message.output.cause : message.fact.kind === 'coverage' ? 'coverage' : 'clock';
  emit({ stream: 'velocity', key: account, seq, at, cause, record });
}

function recordPost(state: VelocityState, post: Post, previous: Post | undefined, from: number): void {
  if (previous !== undefined) removeTime(state.allAt, previous.createdAt);
  if (previous?.isCounted) removeTime(state.countedAt, previous.createdAt);
  if (post.createdAt < from) return;
  insertTime(state.allAt, post.createdAt);
  if (post.isCounted) insertTime(state.countedAt, post.createdAt);
}

function dropBefore(times: number[], from: number): void {
  const first = times[0];
  if (first !== undefined && first < from) times.splice(0, lowerBound(times, from));
}
