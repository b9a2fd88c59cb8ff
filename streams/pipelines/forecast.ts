import { merge, type Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { biasAt, madeForecast } from '../model/forecast/bias.ts';
import { MODEL, modelOf } from '../model/forecast/params.ts';
import { SLEEP_MEMORY_MS } from '../model/forecast/sleep.ts';
import { isSame } from '../model/is-same.ts';
import { pmfQuantile } from '../model/pmf.ts';
import type { DeletedPost } from '../model/settlement.ts';
import {
  type AccountId,
  type Fact,
  type FitFact,
  type ForecastFact,
  limitsOf,
  type Observation,
  type OracleFact,
  priorOf,
  viaOf,
} from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import { tagged } from '../operators/tagged.ts';
import type { Cause, OutputOf, Post } from '../records.ts';
import { settle } from './event-outcomes.ts';
import { askFit, askHistory, askLive } from './forecast-requests.ts';
import {
  emptyForecastState,
  type ForecastState,
  isOutcomeOf,
  keptFrom,
  type MadeByWindow,
  targetOf,
  windowOf,
} from './forecast-state.ts';
import { accountsOf, type Inputs, type Message, type PostChange } from './messages.ts';

/** No window is longer, and a closed event is settled soon. */
const DELETED_KEEP_MS = 100 * DAY_MS;

type From = 'post' | 'event' | 'lag' | 'prediction' | 'observation';
type ForecastChange = Message<'request' | 'outcome'>;

/**
 * Decides when to forecast, and emits requests with all inputs of the model, and the outcomes of events. The model runs
 * on another thread and its answer comes back as an observation, so every replay of a log gives the same outputs.
 */
export function forecast(
  { observation$, post$, event$, lag$, prediction$ }: Inputs<From>,
  states: ActorStates<ForecastState>,
  onFailure: OnFailure,
  isAsking = true,
): Observable<ForecastChange> {
  // The observation comes last, after everything that it caused, so the state is examined once.
  return merge(
    tagged('post', post$),
    tagged('event', event$),
    tagged('lag', lag$),
    tagged('prediction', prediction$),
    tagged('observation', observation$),
  ).pipe(actors(behaviourWith(isAsking), states, onFailure));
}

function behaviourWith(isAsking: boolean): Behaviour<Message<From>, ForecastState, ForecastChange> {
  return {
    name: 'forecast',
    address: (message) =>
      message.type === 'observation' ? accountsOfFact(message.value.fact) : accountsOf(message),
    spawn: (account, { type, value }) =>
      type === 'observation' && value.fact.kind === 'settings'
        ? emptyForecastState(value.fact, account, value.receivedAt)
        : undefined,
    receive(state, { type, value }, emit, account) {
      switch (type) {
        case 'post':
          recordActivity(state, value);
          recordPost(state, value);
          return;
        case 'event':
          recordEvent(state, value);
          return;
        case 'lag':
          state.oracleLag = value.record.oracle;
          return;
        case 'prediction':
          recordPrediction(state, value);
          return;
        case 'observation': {
          const { seq, receivedAt: at, fact } = value;
          observe(state, value, account);
          const turn = { account, seq, at, cause: causeOf(fact), emit, isAsking };
          settle(state, turn);
          askFit(state, turn);
          askLive(state, turn);
          askHistory(state, turn);
        }
      }
    },
  };
}

function accountsOfFact(fact: Fact): readonly AccountId[] | 'everyone' {
  switch (fact.kind) {
    case 'settings':
      return fact.accounts.map((account) => account.id);
    case 'post':
    case 'post_gone':
    case 'coverage':
    case 'tracking':
    case 'oracle':
    case 'fit':
    case 'forecast':
      return [fact.account];
    case 'event':
      return fact.subject.type === 'posts' ? [fact.subject.account] : [];
    case 'tick':
      return 'everyone';
    default:
      return [];
  }
}

/**
 * The archive lists counted posts alone, and an import maybe too, so they say nothing about the time before the oldest post
 * found elsewhere, unless no others are known.
 */
function recordActivity(state: ForecastState, { output, via, previous }: PostChange): void {
  const { record, at } = output;
  const { postedAt } = state;
  if (previous !== undefined) postedAt.remove(previous.createdAt);
  const isAll = (via !== 'archive' && via !== 'import') || state.postsVia === 'oracle_list';
  const oldestAt = postedAt.times[0] ?? Number.POSITIVE_INFINITY;
  if (isAll || record.createdAt >= oldestAt) postedAt.insert(record.createdAt);
  postedAt.dropBefore(at - SLEEP_MEMORY_MS);
}

function recordPost(state: ForecastState, { output, previous }: PostChange): void {
  const { record, at, cause } = output;
  if (!record.isCounted && !previous?.isCounted) return;
  const isDeletionNews = recordDeletion(state, record, previous, at);
  // A post that the oracle took in counts as it did before.
  if (cause === 'oracle' && !isDeletionNews) return;
  const { countedAt } = state;
  if (previous?.isCounted) countedAt.remove(previous.createdAt);
  if (record.isCounted) countedAt.insert(record.createdAt);
  countedAt.dropBefore(keptFrom(at));
  state.mayHaveSettled = true;
  wantForecasts(state, cause);
}

/** Returns whether the posts that the oracle may never count have changed. */
function recordDeletion(state: ForecastState, post: Post, previous: Post | undefined, at: number): boolean {
  const before = previous === undefined ? null : deletedPost(previous);
  const after = deletedPost(post);
  if (isSame(before, after)) return false;
  const known = state.deleted.findIndex((each) => isSame(each, before));
  state.deleted = [...state.deleted.filter((_, index) => index !== known), ...(after === null ? [] : [after])]
    .filter(({ createdAt }) => createdAt >= at - DELETED_KEEP_MS)
    .sort((a, b) => a.createdAt - b.createdAt);
  return true;
}

/** What the oracle has taken in it counts, though the post is gone. */
function deletedPost({ isCounted, createdAt, deletedAt, oracleAt }: Post): DeletedPost | null {
  if (!isCounted || deletedAt === null || oracleAt !== null) return null;
  return { createdAt, upMs: Math.max(0, deletedAt - createdAt) };
}

function wantForecasts(state: ForecastState, reason: Cause): void {
  state.livePausedUntil = 0;
  for (const event of state.open.values()) event.reason ??= reason;
}

/** One object, as nearly every tick has it for every account. */
const NONE_LAGGING: ForecastState['laggingAnsweredAt'] = {};

function answeredAt(ages: Readonly<Record<string, number>>, at: number): ForecastState['laggingAnsweredAt'] {
  return Object.fromEntries(Object.entries(ages).map(([trackingId, age]) => [trackingId, at - age]));
}

function recordEvent(state: ForecastState, { record, cause }: OutputOf<'events'>): void {
  const target = targetOf(record);
  const { eventId, phase } = target;
  const open = state.open.get(eventId);
  const past = state.past.get(eventId);
  const made: MadeByWindow = (open ?? past)?.made ?? new Map();
  if (phase === 'ended' || phase === 'closed') {
    state.open.delete(eventId);
    const outcome = past?.outcome ?? null;
    const isKept = outcome !== null && isOutcomeOf(target, outcome);
    state.past.set(eventId, {
      target,
      made,
      outcome: isKept ? outcome : null,
      settled: isKept ? (past?.settled ?? null) : null,
    });
    state.mayHaveSettled = true;
    state.mayHaveHistory = true;
    return;
  }
  state.past.delete(eventId);
  state.livePausedUntil = 0;
  const isSameWindow = open?.target.window === target.window;
  const isNews = !isSameWindow || open.target.phase !== phase;
  state.open.set(eventId, {
    target,
    made,
    reason: isNews ? cause : open.reason,
    asked: open?.asked ?? null,
    // A forecast of another window cannot explain how the next one differs.
    previous: isSameWindow ? open.previous : null,
  });
}

function recordPrediction(state: ForecastState, { record }: OutputOf<'predictions'>): void {
  const { eventId, horizonHours, madeAt, count, p50, modelVersion, quantiles, settlement } = record;
  const open = state.open.get(eventId);
  const event = open ?? state.past.get(eventId);
  if (event === undefined) return;
  const params = open?.asked?.params.version === modelVersion ? open.asked.params : null;
  if (horizonHours !== null) {
    const factor = params === null ? 1 : biasAt(params.bias, horizonHours);
    // What settled so far is no part of the remainder, whose bias is learnt.
    const soFar = settlement === undefined ? count : pmfQuantile(settlement.soFar, 0.5);
    const forecast = madeForecast(horizonHours, soFar, quantiles, factor);
    const window = windowOf(record);
    event.made = new Map(event.made).set(window, [...(event.made.get(window) ?? []), forecast]);
    state.historyAsked.delete(`${eventId}@${horizonHours}`);
  } else if (open !== undefined) {
    open.previous =
      params === null || settlement === undefined
        ? null
        : { now: madeAt, count, oracle: settlement.oracle, soFar: settlement.soFar, p50, params };
  }
}

function observe(state: ForecastState, { receivedAt, fact }: Observation, account: AccountId): void {
  switch (fact.kind) {
    case 'settings':
      state.staleAfterMs = limitsOf(fact, account).posts;
      state.postsVia = viaOf(fact, account);
      delete state.prior;
      Object.assign(state, priorOf(fact, account));
      forgetRequests(state);
      return;
    case 'tick': {
      const age = fact.ages[`posts:${account}`];
      state.isStale = age === undefined || age > state.staleAfterMs;
      const oracleAge = fact.ages[`oracle:${account}`];
      if (oracleAge !== undefined) state.oracleAnsweredAt = receivedAt - oracleAge;
      const lagging = fact.lagging?.[`oracle:${account}`];
      state.laggingAnsweredAt = lagging === undefined ? NONE_LAGGING : answeredAt(lagging, receivedAt);
      return;
    }
    case 'coverage':
      if (fact.fromAt === state.coveredFrom) return;
      state.coveredFrom = fact.fromAt;
      state.mayHaveSettled = true;
      state.mayHaveHistory = true;
      wantForecasts(state, 'coverage');
      return;
    case 'oracle':
      recordTotal(state, fact, receivedAt);
      return;
    case 'fit':
      recordFit(state, fact, receivedAt);
      return;
    case 'forecast':
      markAnswered(state, fact);
      return;
  }
}

function recordTotal(
  state: ForecastState,
  { trackingId, total, syncedAt }: OracleFact,
  receivedAt: number,
): void {
  const known = state.totals.get(trackingId);
  const isUnchanged = known?.total === total;
  const changedAt = isUnchanged ? known.changedAt : Math.min(syncedAt ?? receivedAt, receivedAt);
  state.totals.set(trackingId, { total, readAt: syncedAt, changedAt });
  if (isUnchanged) return;
  state.mayHaveSettled = true;
  state.livePausedUntil = 0;
  for (const event of state.open.values()) {
    if (event.target.trackingId === trackingId) event.reason ??= 'oracle';
  }
}

/** Settings are logged at each start of the engine. No request survives a restart, and the next tick has the age of posts. */
function forgetRequests(state: ForecastState): void {
  state.isStale = true;
  if (state.fitAsked?.isAnswered === false) state.fitAsked = null;
  for (const event of state.open.values()) if (event.asked?.isAnswered === false) event.asked = null;
  for (const [key, asked] of state.historyAsked) if (!asked.isAnswered) state.historyAsked.delete(key);
  state.livePausedUntil = 0;
  state.mayHaveHistory = true;
}

function recordFit(state: ForecastState, { askedSeq, params }: FitFact, receivedAt: number): void {
  // Coefficients of other formulas are of no use; a log written by an older program may contain them.
  if (modelOf(params.version) !== MODEL) return;
  const { fit, fitAsked } = state;
  if (fit !== null && askedSeq <= fit.askedSeq) return;
  if (fitAsked?.seq === askedSeq) {
    fitAsked.isAnswered = true;
    state.fit = { params, askedSeq, at: fitAsked.at, fromAt: fitAsked.fromAt };
  } else {
    state.fit = { params, askedSeq, at: receivedAt, fromAt: state.coveredFrom ?? receivedAt };
  }
  state.mayHaveHistory = true;
  wantForecasts(state, 'model');
}

function markAnswered(state: ForecastState, { eventId, askedSeq, origin, horizonHours }: ForecastFact): void {
  const asked =
    origin === 'live' ? state.open.get(eventId)?.asked : state.historyAsked.get(`${eventId}@${horizonHours}`);
  if (asked?.seq !== askedSeq) return;
  asked.isAnswered = true;
  state.livePausedUntil = 0;
}

function causeOf(fact: Fact): Cause {
  switch (fact.kind) {
    case 'oracle':
    case 'coverage':
    case 'settings':
      return fact.kind;
    case 'event':
      return 'event_closed';
    case 'fit':
    case 'forecast':
      return 'model';
    case 'post':
      return 'new_post';
    case 'post_gone':
      return 'post_deleted';
    default:
      return 'clock';
  }
}
