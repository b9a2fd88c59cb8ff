import type { Observable } from 'rxjs';
import { type CountingRule, isCounted } from '../model/counting.ts';
import { DAY_MS, HOUR_MS } from '../model/durations.ts';
import { IdSet } from '../model/id-set.ts';
import type { AccountId, Observation, PostFact } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import type { Cause, Post } from '../records.ts';
import type { Inputs, PostChange } from './messages.ts';

/** An older post can no longer change, so only its id is remembered, and of a post of unknown kind a little more. */
const OPEN_MS = 3 * DAY_MS;
const SWEEP_MS = HOUR_MS;

type UnclearPost = Pick<Post, 'createdAt' | 'seenAt' | 'deletedAt' | 'oracleAt'>;

export interface PostsState {
  rule: CountingRule;
  /** Posts that can still change, and how each was first found. */
  readonly open: Map<string, { readonly post: Post; readonly via: PostFact['via'] }>;
  readonly settled: IdSet;
  /** Settled posts that only the oracle's list has shown. The timeline may still tell their kind. */
  readonly unclear: Map<string, UnclearPost>;
  /** The first id of each edited post that can still change, by the ids of its later versions. */
  readonly firstIds: Map<string, string>;
  sweepAt: number;
}

/** Emits a post when it is new, edited, found in the oracle's list or deleted. A post seen again unchanged gives no output. */
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
    return rule
      ? {
          rule,
          open: new Map(),
          settled: new IdSet(),
          unclear: new Map(),
          firstIds: new Map(),
          sweepAt: 0,
        }
      : undefined;
  },
  receive,
};

function receive(
  state: PostsState,
  { seq, receivedAt: at, fact }: Observation,
  emit: (change: PostChange) => void,
  account: AccountId,
): void {
  const turn = { seq, at, emit };
  if (fact.kind === 'post') {
    seePost(state, fact, turn);
  } else if (fact.kind === 'post_gone') {
    const known = state.open.get(fact.id);
    if (known === undefined || known.post.deletedAt !== null) return;
    change(state, { ...known.post, deletedAt: at }, known.via, 'post_deleted', turn);
  } else if (fact.kind === 'settings') {
    state.rule = fact.accounts.find(({ id }) => id === account)?.rule ?? state.rule;
  } else if (at >= state.sweepAt) {
    state.sweepAt = at + SWEEP_MS;
    sweep(state, at - OPEN_MS);
  }
}

interface Turn {
  readonly seq: number;
  readonly at: number;
  readonly emit: (change: PostChange) => void;
}

function seePost(state: PostsState, fact: PostFact, turn: Turn): void {
  const id = state.firstIds.get(fact.id) ?? fact.id;
  if (state.settled.has(id)) {
    clearUp(state, fact, turn);
    return;
  }
  const listed = takeListedEdits(state, fact, id, turn);
  const known = state.open.get(id);
  const post = withFact(known?.post, { ...fact, id }, state.rule, turn.at);
  const seen = { ...post, oracleAt: post.oracleAt ?? listed };
  if (known !== undefined && isSamePost(known.post, seen)) return;
  change(state, seen, known?.via ?? fact.via, causeOf(known?.post, seen), turn);
}

/** A settled post of unknown kind gets its kind. */
function clearUp(state: PostsState, fact: PostFact, turn: Turn): void {
  const unclear = state.unclear.get(fact.id);
  if (unclear === undefined || !hasKind(fact) || fact.via === 'import') return;
  const known = { ...withFact(undefined, fact, state.rule, turn.at), ...unclear };
  const previous: Post = { ...known, isReply: null, isQuote: null, isCounted: true, via: 'oracle_list' };
  state.unclear.delete(fact.id);
  emitPost(known, previous, fact.via, 'post_edited', turn);
}

/**
 * The oracle may list a post under the id of an edit. It is the same post, so it counts once, under its first id. Returns
 * when the oracle took it in, or null.
 */
function takeListedEdits(state: PostsState, { editIds = [] }: PostFact, firstId: string, turn: Turn) {
  let oracleAt: number | null = null;
  for (const id of editIds) {
    if (id === firstId) continue;
    state.firstIds.set(id, firstId);
    const double = state.open.get(id);
    if (double === undefined) continue;
    oracleAt ??= double.post.oracleAt;
    if (double.post.isCounted)
      change(state, { ...double.post, isCounted: false }, double.via, 'post_edited', turn);
  }
  return oracleAt;
}

function change(state: PostsState, post: Post, via: PostFact['via'], cause: Cause, turn: Turn): void {
  const previous = state.open.get(post.id)?.post;
  if (post.createdAt < turn.at - OPEN_MS && previous === undefined) settle(state, post);
  else state.open.set(post.id, { post, via });
  emitPost(post, previous, via, cause, turn);
}

function emitPost(
  record: Post,
  previous: Post | undefined,
  via: PostFact['via'],
  cause: Cause,
  { seq, at, emit }: Turn,
): void {
  emit({ output: { stream: 'posts', key: record.id, seq, at, cause, record }, via, previous });
}

function settle({ settled, unclear }: PostsState, post: Post): void {
  settled.add(post.id);
  if (post.isReply !== null) return;
  const { createdAt, seenAt, deletedAt, oracleAt } = post;
  unclear.set(post.id, { createdAt, seenAt, deletedAt, oracleAt });
}

function sweep(state: PostsState, before: number): void {
  for (const [id, { post }] of state.open) {
    if (post.createdAt >= before) continue;
    state.open.delete(id);
    settle(state, post);
  }
  for (const [id, firstId] of state.firstIds) {
    if (!state.settled.has(firstId)) continue;
    state.firstIds.delete(id);
    state.settled.add(id);
  }
}

/**
 * The post after a fact about it. The list adds to what the timeline shows of a post, and never replaces it; an import does
 * not even add.
 */
function withFact(known: Post | undefined, fact: PostFact, rule: CountingRule, at: number): Post {
  const isImported = fact.via === 'import';
  if (known !== undefined && isImported) return known;
  const isListed = fact.via === 'list' || fact.via === 'archive';
  const oracleAt = known?.oracleAt ?? (isListed ? (fact.importedAt ?? at) : null);
  if (known !== undefined && isListed && (known.isReply !== null || !hasKind(fact))) {
    return { ...known, oracleAt };
  }
  return {
    account: fact.account,
    id: fact.id,
    text: fact.text,
    createdAt: fact.createdAt,
    isReply: hasKind(fact) ? fact.isReply : null,
    isQuote: hasKind(fact) ? fact.isQuote : null,
    isRepost: fact.isRepost,
    // A kind that is not known is that of a post in the oracle's list, which holds only counted posts.
    isCounted: !hasKind(fact) || isCounted(fact, rule),
    url: fact.url,
    seenAt: known?.seenAt ?? at,
    deletedAt: known?.deletedAt ?? null,
    via: isListed ? (known?.via ?? 'oracle_list') : isImported ? 'import' : 'timeline',
    oracleAt,
  };
}

/** The list has no kinds. Facts of it without a time of import are of an older log, where unknown flags are false. */
function hasKind({ via, isReply, importedAt }: PostFact): boolean {
  return isReply !== null && (via !== 'archive' || importedAt !== undefined);
}

function causeOf(known: Post | undefined, post: Post): Cause {
  if (known === undefined) return 'new_post';
  return isSamePost({ ...known, oracleAt: post.oracleAt }, post) ? 'oracle' : 'post_edited';
}

function isSamePost(a: Post, b: Post): boolean {
  return (
    a.text === b.text &&
    a.createdAt === b.createdAt &&
    a.isReply === b.isReply &&
    a.isQuote === b.isQuote &&
    a.isRepost === b.isRepost &&
    a.isCounted === b.isCounted &&
    a.via === b.via &&
    a.oracleAt === b.oracleAt
  );
}
