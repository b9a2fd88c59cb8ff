import type { Observable } from 'rxjs';
import { type CountingRule, isCounted } from '../model/counting.ts';
import { DAY_MS, HOUR_MS } from '../model/durations.ts';
import type { AccountId, Observation, PostFact } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import type { Cause, OutputOf, Post } from '../records.ts';
import type { Inputs, PostChange } from './messages.ts';

/** An older post can no longer change, so only its id is remembered. */
const OPEN_MS = 3 * DAY_MS;
const SWEEP_MS = HOUR_MS;

export interface PostsState {
  rule: CountingRule;
  /** Posts that can still change, and how each was first found. */
  readonly open: Map<string, { readonly post: Post; readonly via: PostFact['via'] }>;
  readonly settled: Set<string>;
  sweepAt: number;
}

/** Emits a post when it is new, edited or found deleted. A post seen again unchanged gives no output. */
export function posts(
  { observation$ }: Inputs<'observation'>,
  states: ActorStates<PostsState>,
  onFailure: OnFailure,
): Observable<PostChange> {
  return observation$.pipe(actors(behaviour, states, onFailure));
}

const behaviour: Behaviour<Observation, PostsState, PostChange> = {
  name: 'posts',
  address: ({ fact }) => {
    switch (fact.kind) {
      case 'settings':
        return fact.accounts.map((account) => account.id);
      case 'post':
      case 'post_gone':
        return [fact.account];
      case 'tick':
        return 'everyone';
      default:
        return [];
    }
  },
  spawn: (key, { fact }) => {
    const rule = fact.kind === 'settings' && fact.accounts.find((account) => account.id === key)?.rule;
    return rule ? { rule, open: new Map(), settled: new Set(), sweepAt: 0 } : undefined;
  },
  receive,
};

function receive(
  state: PostsState,
  { seq, receivedAt: at, fact }: Observation,
  emit: (change: PostChange) => void,
  account: AccountId,
): void {
  if (fact.kind === 'post') {
    if (state.settled.has(fact.id)) return;
    const known = state.open.get(fact.id);
    // The archive lacks the flags of a post, so a post seen elsewhere is better known.
    if (known !== undefined && fact.via === 'archive') return;
    const post = toPost(fact, state.rule, known?.post.seenAt ?? at, known?.post.deletedAt ?? null);
    if (known !== undefined && isSamePost(known.post, post)) return;
    const via = known?.via ?? fact.via;
    if (post.createdAt < at - OPEN_MS) state.settled.add(post.id);
    else state.open.set(post.id, { post, via });
    const cause = known ? 'post_edited' : 'new_post';
    emit({ output: toOutput(post, seq, at, cause), via, previous: known?.post });
  } else if (fact.kind === 'post_gone') {
    const known = state.open.get(fact.id);
    if (known === undefined || known.post.deletedAt !== null) return;
    const post = { ...known.post, deletedAt: at };
    emit({ output: toOutput(post, seq, at, 'post_deleted'), via: known.via, previous: known.post });
    state.open.set(fact.id, { post, via: known.via });
  } else if (fact.kind === 'settings') {
    state.rule = fact.accounts.find(({ id }) => id === account)?.rule ?? state.rule;
  } else if (at >= state.sweepAt) {
    state.sweepAt = at + SWEEP_MS;
    for (const [id, { post }] of state.open) {
      if (post.createdAt >= at - OPEN_MS) continue;
      state.open.delete(id);
      state.settled.add(id);
    }
  }
}

function toPost(fact: PostFact, rule: CountingRule, seenAt: number, deletedAt: number | null): Post {
  return {
    account: fact.account,
    id: fact.id,
    text: fact.text,
    createdAt: fact.createdAt,
    isReply: fact.isReply,
    isQuote: fact.isQuote,
    isRepost: fact.isRepost,
    // The archive is the oracle's own list and holds only counted posts.
    isCounted: fact.via === 'archive' || isCounted(fact, rule),
    url: fact.url,
    seenAt,
    deletedAt,
  };
}

function toOutput(record: Post, seq: number, at: number, cause: Cause): OutputOf<'posts'> {
  return { stream: 'posts', key: record.id, seq, at, cause, record };
}

function isSamePost(a: Post, b: Post): boolean {
  return (
    a.text === b.text &&
    a.createdAt === b.createdAt &&
    a.isReply === b.isReply &&
    a.isQuote === b.isQuote &&
    a.isRepost === b.isRepost &&
    a.isCounted === b.isCounted
  );
}
