import {
  connect,
  endWith,
  filter,
  ignoreElements,
  map,
  merge,
  type Observable,
  Subject,
  share,
  takeUntil,
  withLatestFrom,
} from 'rxjs';
import { type Observation, onCalendar } from './observation.ts';
import type { ActorFailure, ActorStates } from './operators/actors.ts';
import { type CountersState, counters } from './pipelines/counters.ts';
import { type EventsState, eventHolders, events, ownersIn } from './pipelines/events.ts';
import { forecast } from './pipelines/forecast.ts';
import type { ForecastState } from './pipelines/forecast-state.ts';
import { type FreshnessState, freshness, freshnessAfter, lastFreshness } from './pipelines/freshness.ts';
import { type LagState, lag } from './pipelines/lag.ts';
import { type LedgerState, ledger } from './pipelines/ledger.ts';
import { type MinutesState, minutes } from './pipelines/minutes.ts';
import { type ModelsState, models } from './pipelines/models.ts';
import { type PerformanceState, performance } from './pipelines/performance.ts';
import { type PostsState, posts } from './pipelines/posts.ts';
import { type PricesState, prices } from './pipelines/prices.ts';
import { lastSignals, type SignalsState, signals } from './pipelines/signals.ts';
import { type SleepState, sleep } from './pipelines/sleep.ts';
import { type SpotState, spot } from './pipelines/spot.ts';
import { type VelocityState, velocity } from './pipelines/velocity.ts';
import type { Output } from './records.ts';

/** Raised whenever the same log would give different bytes: the outputs of an older graph are then derived again. */
export const GRAPH_VERSION = 12;

/** The states of every pipeline's actors. The graph remembers nothing else. */
export interface GraphState {
  readonly posts: ActorStates<PostsState>;
  readonly events: ActorStates<EventsState>;
  readonly counters: ActorStates<CountersState>;
  readonly velocity: ActorStates<VelocityState>;
  readonly prices: ActorStates<PricesState>;
  readonly lag: ActorStates<LagState>;
  readonly spot: ActorStates<SpotState>;
  readonly ledger: ActorStates<LedgerState>;
  readonly models: ActorStates<ModelsState>;
  readonly forecast: ActorStates<ForecastState>;
  readonly performance: ActorStates<PerformanceState>;
  readonly sleep: ActorStates<SleepState>;
  readonly signals: ActorStates<SignalsState>;
  readonly minutes: ActorStates<MinutesState>;
  readonly freshness: ActorStates<FreshnessState>;
}

export function emptyState(): GraphState {
  return {
    posts: new Map(),
    events: new Map(),
    counters: new Map(),
    velocity: new Map(),
    prices: new Map(),
    lag: new Map(),
    spot: new Map(),
    ledger: new Map(),
    models: new Map(),
    forecast: new Map(),
    performance: new Map(),
    sleep: new Map(),
    signals: new Map(),
    minutes: new Map(),
    freshness: new Map(),
  };
}

export interface GraphOptions {
  /**
   * Whether the model is asked; true unless given. Who follows a log that has the answers need not ask, and the state and
   * all other outputs are the same.
   */
  readonly isAsking?: boolean;
}

/**
 * Wires the pipelines. The outputs of an observation are emitted synchronously, in the fixed order of the list below.
 * `state` is changed in place; between two observations it is the state at that seq, and a graph started from it
 * continues as if it had never stopped.
 */
export function graph(
  observation$: Observable<Observation>,
  state: GraphState,
  { isAsking = true }: GraphOptions = {},
): Observable<Output> {
  return observation$.pipe(
    map(onCalendar),
    connect((shared$) => wire(shared$, state, isAsking)),
  );
}

/** The last outputs that readers need after a start but that the store does not keep. */
export function lastPassing(state: GraphState): readonly Output[] {
  return [...lastSignals(state.signals), ...lastFreshness(state.freshness)];
}

/** The ages of all sources after these last observations of a log, from an earlier state, which is changed. */
export function agesAfter(state: GraphState, observations: Iterable<Observation>): readonly Output[] {
  return freshnessAfter(state.freshness, Array.from(observations, onCalendar));
}

function wire(
  observation$: Observable<Observation>,
  state: GraphState,
  isAsking: boolean,
): Observable<Output> {
  const failure$ = new Subject<ActorFailure>();
  const onFailure = (failure: ActorFailure) => failure$.next(failure);
  const ended$ = observation$.pipe(ignoreElements(), endWith('ended'));

  const post$ = posts({ observation$ }, state.posts, onFailure).pipe(share());
  const holders = eventHolders(state.events);
  const event$ = events({ observation$ }, state.events, onFailure, holders).pipe(share());
  const ownersOf = ownersIn(holders);
  const counters$ = counters({ observation$, post$, event$ }, state.counters, onFailure, ownersOf).pipe(
    share(),
  );
  const velocity$ = velocity({ observation$, post$ }, state.velocity, onFailure);
  const price$ = prices({ observation$ }, state.prices, onFailure).pipe(share());
  const lag$ = lag({ observation$, post$, counters$ }, state.lag, onFailure).pipe(share());
  const spot$ = spot({ observation$ }, state.spot, onFailure);
  const prediction$ = ledger(
    { observation$, event$, counters$, price$, lag$ },
    state.ledger,
    onFailure,
    ownersOf,
  ).pipe(share());
  const change$ = forecast(
    { observation$, post$, event$, lag$, prediction$ },
    state.forecast,
    onFailure,
    isAsking,
  ).pipe(share());
  const request$ = change$.pipe(
    filter((change) => change.type === 'request'),
    map(({ value }) => value),
  );
  const outcome$ = change$.pipe(
    filter((change) => change.type === 'outcome'),
    map(({ value }) => value),
  );
  const score$ = performance({ event$, prediction$, outcome$ }, state.performance, onFailure).pipe(share());
  const sleep$ = sleep({ observation$, post$, prediction$ }, state.sleep, onFailure);
  const signal$ = signals(
    { observation$, event$, counters$, price$, prediction$, score$ },
    state.signals,
    onFailure,
    ownersOf,
  );

  return merge(
    failure$.pipe(takeUntil(ended$), withLatestFrom(observation$), map(toOutput)),
    post$.pipe(map(({ output }) => output)),
    event$,
    counters$.pipe(map(({ output }) => output)),
    velocity$,
    price$,
    lag$,
    spot$,
    prediction$,
    models({ prediction$ }, state.models, onFailure),
    request$,
    score$,
    sleep$,
    signal$,
    minutes({ observation$, event$, counters$, price$, prediction$ }, state.minutes, onFailure, ownersOf),
    freshness({ observation$ }, state.freshness, onFailure),
  );
}

function toOutput([{ actor, error }, { seq, receivedAt }]: [ActorFailure, Observation]): Output {
  const record = { actor, message: error instanceof Error ? error.message : String(error) };
  return { stream: 'failures', key: actor, seq, at: receivedAt, cause: 'failure', record };
}
