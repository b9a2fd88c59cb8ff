import { merge, type Observable } from 'rxjs';
import { insertTime, lowerBound, removeTime } from './model/sorted-times.ts';
import type { AccountId, Observation } from './observation.ts';
import { type ActorFailure, type ActorStates, actors } from './operators/actors.ts';
import type { PostChange } from './posts.ts';
import type { OutputOf, Post, Velocity } from './records.ts';

const HOUR_MS = 3_600_000;

export interface VelocityState {
  /** Creation times within the last hour. */
  readonly allAt: number[];
  readonly countedAt: number[];
  /** Before the history is read, a quiet hour cannot be told from an unread one. */
  isCovered: boolean;
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
  spawn: (): VelocityState => ({ allAt: [], countedAt: [], isCovered: false, last: null }),
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
  if (isPost) recordPost(state, message.output.record, message.previous, at - HOUR_MS);
  else if (message.fact.kind === 'coverage') state.isCovered = true;
  if (!state.isCovered) return;

  dropBefore(state.allAt, at - HOUR_MS);
  dropBefore(state.countedAt, at - HOUR_MS);
  const { last } = state;
  const all1h = state.allAt.length;
  const counted1h = state.countedAt.length;
  if (last !== null && last.all1h === all1h && last.counted1h === counted1h) return;
  const record = { account, counted1h, all1h };
  state.last = record;
  const cause = isPost ? message.output.cause : 'clock';
  emit({ stream: 'velocity', key: account, seq, at, cause, record });
}

function recordPost(state: VelocityState, post: Post, previous: Post | undefined, from: number): void {
  if (previous !== undefined) removeTime(state.allAt, previous.createdAt);
  if (previous?.isCounted) removeTime(state.countedAt, previous.createdAt);
  if (post.createdAt <= from) return;
  insertTime(state.allAt, post.createdAt);
  if (post.isCounted) insertTime(state.countedAt, post.createdAt);
}

function dropBefore(times: number[], from: number): void {
  const first = times[0];
  if (first !== undefined && first <= from) times.splice(0, lowerBound(times, from + 1));
}
