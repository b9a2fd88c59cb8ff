import { from, type Observable } from 'rxjs';
import { type AccountId, type AgeLimits, limitsOf, type Observation } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import type { OutputOf, StreamRecords } from '../records.ts';
import type { Inputs } from './messages.ts';
import { staleSources, staleValues } from './staleness.ts';

export interface FreshnessState {
  accounts: readonly AccountId[];
  /** Null before the settings, as in a log that begins without them. */
  staleAfterMs: AgeLimits | null;
  /** Those of accounts that have other limits; absent when none has. */
  ownLimits?: Readonly<Record<AccountId, AgeLimits>>;
  listedAt: StreamRecords['freshness']['listedAt'];
  last: OutputOf<'freshness'> | null;
}

const ALL = ['all'];

/** The age of every source and of values that are behind at each tick, which sources are stale, and when the events were last listed. */
export function freshness(
  { observation$ }: Inputs<'observation'>,
  states: ActorStates<FreshnessState>,
  onFailure: OnFailure,
): Observable<OutputOf<'freshness'>> {
  return observation$.pipe(actors(behaviour, states, onFailure));
}

const behaviour: Behaviour<Observation, FreshnessState, OutputOf<'freshness'>> = {
  name: 'freshness',
  address: ({ fact: { kind } }) => (kind === 'tick' || kind === 'settings' || kind === 'listing' ? ALL : []),
  spawn: () => ({ accounts: [], staleAfterMs: null, listedAt: { posts: null, crypto: null }, last: null }),
  receive(state, { seq, receivedAt: at, fact }, emit) {
    if (fact.kind === 'settings') {
      state.accounts = fact.accounts.map(({ id }) => id);
      state.staleAfterMs = fact.staleAfterMs;
      const differing = fact.accounts.filter(({ staleAfterMs }) => staleAfterMs !== undefined);
      if (differing.length === 0) delete state.ownLimits;
      else state.ownLimits = Object.fromEntries(differing.map(({ id }) => [id, limitsOf(fact, id)]));
    } else if (fact.kind === 'listing') {
      state.listedAt = { ...state.listedAt, [fact.subject]: at };
    } else if (fact.kind === 'tick') {
      const { kind: _, ...ages } = fact;
      const { accounts, staleAfterMs, ownLimits = {}, listedAt } = state;
      const limits = (all: AgeLimits) => (account: AccountId | undefined) =>
        (account !== undefined && Object.hasOwn(ownLimits, account) ? ownLimits[account] : undefined) ?? all;
      const stale = staleAfterMs === null ? [] : staleSources(limits(staleAfterMs), ages, accounts);
      const values = staleAfterMs === null ? [] : staleValues(limits(staleAfterMs), ages);
      state.last = {
        stream: 'freshness',
        key: 'all',
        seq,
        at,
        cause: 'clock',
        record: { ...ages, stale, ...(values.length > 0 && { staleValues: values }), listedAt },
      };
      emit(state.last);
    }
  },
};

/** The last ages. Readers need them after a start, and only the state has them. */
export function lastFreshness(states: ActorStates<FreshnessState>): readonly OutputOf<'freshness'>[] {
  return [...states.values()].flatMap((state) => state?.last ?? []);
}

/**
 * The ages after further observations, of which only the last ones need to be given: each tick has all ages. The states
 * are changed.
 */
export function freshnessAfter(
  states: ActorStates<FreshnessState>,
  observations: Iterable<Observation>,
): readonly OutputOf<'freshness'>[] {
  freshness({ observation$: from(observations) }, states, () => undefined).subscribe();
  return lastFreshness(states);
}
