import { merge, type Observable } from 'rxjs';
import { biasAt, madeForecast } from '../model/forecast/bias.ts';
import { MODEL } from '../model/forecast/params.ts';
import { insertTime, lowerBound, removeTime } from '../model/sorted-times.ts';
import type { AccountId, Fact, FitFact, ForecastFact, Observation } from '../observation.ts';
import { type ActorFailure, type ActorStates, actors } from '../operators/actors.ts';
import type { Cause, OutputOf } from '../records.ts';
import { askFit, askHistory, askLive, forgetCopy } from './forecast-requests.ts';
import {
  emptyForecastState,
  type ForecastChange,
  type ForecastState,
  isOutcomeOf,
  isSameWindow,
  keptFrom,
  targetOf,
} from './forecast-state.ts';
import { settle } from './outcomes.ts';
import type { PostChange } from './posts.ts';

export type ForecastMessage = Observation | PostChange | OutputOf<'events'> | OutputOf<'predictions'>;

/**
 * Decides when to forecast and freezes what the model is to know. The model runs elsewhere and its answer comes
 * back as an observation, so that a log says the same whenever and however often it is read.
 */
export function forecast(
  observation$: Observable<Observation>,
  post$: Observable<PostChange>,
  event$: Observable<OutputOf<'events'>>,
  prediction$: Observable<OutputOf<'predictions'>>,
  states: ActorStates<ForecastState>,
  onFailure: (failure: ActorFailure<ForecastMessage>) => void,
): Observable<ForecastChange> {
  // The observation comes last: by then all that it brought about is known, and one look is enough.
  return merge(post$, event$, prediction$, observation$).pipe(
    actors<ForecastMessage, ForecastState, ForecastChange>(behaviour, states, onFailure),
  );
}

const behaviour = {
  name: 'forecast',
  address: (message: ForecastMessage): readonly AccountId[] | 'everyone' => {
    if ('output' in message) return [message.output.record.account];
    if ('stream' in message) {
      if (message.stream === 'predictions') return [message.record.account];
      const { subject } = message.record;
      return subject.type === 'posts' ? [subject.account] : [];
    }
    const { fact } = message;
    switch (fact.kind) {
      case 'settings':
        return fact.accounts.map((account) => account.id);
      case 'post':
      case 'post_gone':
      case 'coverage':
      case 'oracle':
      case 'fit':
      case 'forecast':
        return [fact.account];
      // Whatever moves the clock of the events may have opened or closed one of any account.
      case 'tick':
      case 'event':
      case 'tracking':
        return 'everyone';
      default:
        return [];
    }
  },
  spawn: (_key: AccountId, message: ForecastMessage): ForecastState | undefined =>
    'fact' in message && message.fact.kind === 'settings'
      ? emptyForecastState(message.fact.staleAfterMs.posts)
      : undefined,
  receive,
};

function receive(
  state: ForecastState,
  message: ForecastMessage,
  emit: (change: ForecastChange) => void,
  account: AccountId,
): void {
  if ('output' in message) {
    recordPost(state, message);
    return;
  }
  if ('stream' in message) {
    if (message.stream === 'events') recordEvent(state, message);
    else recordPrediction(state, message);
    return;
  }
  const { seq, receivedAt: at, fact } = message;
  observe(state, message, account);
  const turn = { account, seq, at, cause: causeOf(fact), emit };
  settle(state, turn);
  askFit(state, turn);
  askLive(state, turn);
  askHistory(state, turn);
}

function recordPost(state: ForecastState, { output, previous }: PostChange): void {
  const { record, at, cause } = output;
  if (!record.isCounted && !previous?.isCounted) return;
  const { countedAt } = state;
  forgetCopy(countedAt);
  if (previous?.isCounted) removeTime(countedAt, previous.createdAt);
  if (record.isCounted) insertTime(countedAt, record.createdAt);
  const from = keptFrom(at);
  if ((countedAt[0] ?? from) < from) countedAt.splice(0, lowerBound(countedAt, from));
  state.mayHaveSettled = true;
  wantForecasts(state, cause);
}

function wantForecasts(state: ForecastState, reason: Cause): void {
  state.livePausedUntil = 0;
  for (const event of state.open.values()) event.reason ??= reason;
}

function recordEvent(state: ForecastState, { record, cause }: OutputOf<'events'>): void {
  const target = targetOf(record);
  const { eventId, phase } = target;
  const open = state.open.get(eventId);
  const past = state.past.get(eventId);
  const { rows, made } = open ?? past ?? { rows: [], made: [] };
  if (phase === 'ended' || phase === 'closed') {
    state.open.delete(eventId);
    const outcome = past?.outcome ?? null;
    const isKept = outcome !== null && isOutcomeOf(target, outcome);
    state.past.set(eventId, { target, rows, made, outcome: isKept ? outcome : null });
    state.mayHaveSettled = true;
    state.mayHaveHistory = true;
    return;
  }
  state.past.delete(eventId);
  state.livePausedUntil = 0;
  const isSame = open !== undefined && isSameWindow(open.target, target);
  const isNews = !isSame || open.target.phase !== phase;
  state.open.set(eventId, {
    target,
    rows,
    made,
    reason: isNews ? cause : open.reason,
    asked: open?.asked ?? null,
    // Of another window nothing can be told apart.
    previous: isSame ? open.previous : null,
  });
}

function recordPrediction(state: ForecastState, { record }: OutputOf<'predictions'>): void {
  const { eventId, horizonHours, madeAt, count, p50, modelVersion, quantiles } = record;
  const event = state.open.get(eventId) ?? state.past.get(eventId);
  if (event === undefined) return;
  const params = 'asked' in event && event.asked?.params.version === modelVersion ? event.asked.params : null;
  if (horizonHours !== null) {
    event.rows = [...event.rows, horizonHours];
    const factor = params === null ? 1 : biasAt(params.bias, horizonHours);
    event.made = [...event.made, madeForecast(horizonHours, count, quantiles, factor)];
    state.historyAsked.delete(`${eventId}@${horizonHours}`);
  } else if ('asked' in event) {
    event.previous = params === null ? null : { now: madeAt, count, p50, params };
  }
}

function observe(state: ForecastState, { receivedAt, fact }: Observation, account: AccountId): void {
  switch (fact.kind) {
    case 'settings':
      state.staleAfterMs = fact.staleAfterMs.posts;
      startAnew(state);
      return;
    case 'tick': {
      const age = fact.ages[`posts:${account}`];
      state.isStale = age === undefined || age > state.staleAfterMs;
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
      if (state.totals.get(fact.trackingId) === fact.total) return;
      state.totals.set(fact.trackingId, fact.total);
      state.mayHaveSettled = true;
      return;
    case 'fit':
      takeFit(state, fact, receivedAt);
      return;
    case 'forecast':
      takeAnswer(state, fact);
      return;
  }
}

/** Settings are told at each start of the engine: nobody is left to answer, and the next tick says how old posts are. */
function startAnew(state: ForecastState): void {
  state.isStale = true;
  if (state.fitAsked?.isAnswered === false) state.fitAsked = null;
  for (const event of state.open.values()) if (event.asked?.isAnswered === false) event.asked = null;
  for (const [key, asked] of state.historyAsked) if (!asked.isAnswered) state.historyAsked.delete(key);
  state.livePausedUntil = 0;
  state.mayHaveHistory = true;
}

function takeFit(state: ForecastState, { askedSeq, params }: FitFact, receivedAt: number): void {
  // Coefficients of other formulas, from a log that an older program wrote, mean nothing to these.
  if (!params.version.startsWith(`${MODEL}+`)) return;
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

function takeAnswer(state: ForecastState, { eventId, askedSeq, origin, horizonHours }: ForecastFact): void {
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
