import { DAY_MS, MINUTE_MS } from '../model/durations.ts';
import { coldStart, MODEL } from '../model/forecast/params.ts';
import { HORIZON_HOURS, horizonAt, horizonsOf } from '../model/horizons.ts';
import { seedOf } from '../model/seed.ts';
import { lowerBound } from '../model/sorted-times.ts';
import type { TimeList } from '../model/time-list.ts';
import type { ModelRequest } from '../records.ts';
import {
  type Asked,
  closedForecasts,
  type ForecastState,
  historyFrom,
  isAwaited,
  madeFor,
  type OpenEvent,
  ownCount,
  type PastEvent,
  settlementFacts,
  type Target,
  type Turn,
} from './forecast-state.ts';

const LEAST_HISTORY_MS = 14 * DAY_MS;
const REFIT_MS = 7 * DAY_MS;
/** This much more history is worth a new fit. */
const MORE_HISTORY_MS = 14 * DAY_MS;
const FIT_PATIENCE_MS = 10 * MINUTE_MS;

/** One tick less than a minute, so that a forecast is requested before the minute has passed. */
const LIVE_EVERY_MS = MINUTE_MS - 1_000;
const LIVE_PATIENCE_MS = MINUTE_MS;

const HISTORY_BEFORE_MS = 28 * DAY_MS;
const HISTORY_PATIENCE_MS = 10 * MINUTE_MS;
/** The most requests about the past that one account has in progress. */
const MOST_HISTORY_ASKED = 4;

/** Requests coefficients once two weeks of posts are known, then weekly, and when more history becomes known. */
export function askFit(state: ForecastState, turn: Turn): void {
  const { seq, at } = turn;
  const fromAt = historyFrom(state, at);
  if (fromAt === null || at - fromAt < LEAST_HISTORY_MS) return;
  const { fit, fitAsked } = state;
  if (isAwaited(fitAsked, at, FIT_PATIENCE_MS)) return;
  const isOld = fit === null || Math.abs(at - fit.at) >= REFIT_MS;
  if (!isOld && fromAt >= fit.fromAt - MORE_HISTORY_MS) return;
  state.fitAsked = { seq, at, fromAt, isAnswered: false };
  ask(turn, `fit:${turn.account}`, () => {
    const { postTimes } = postsBefore(state, at);
    const known = { now: at, fromAt, postTimes, ...priorIn(state), closed: closedForecasts(state) };
    return { type: 'fit', account: turn.account, ...known };
  });
}

/** Requests a forecast of each open event after news, and once a minute. An event has one live request at a time. */
export function askLive(state: ForecastState, turn: Turn): void {
  const { at } = turn;
  if (state.isStale || (at >= state.livePausedAt && at < state.livePausedUntil)) return;
  state.livePausedAt = at;
  state.livePausedUntil = Number.MAX_SAFE_INTEGER;
  for (const event of state.open.values()) {
    if (!isAwaited(event.asked, at, LIVE_PATIENCE_MS) && isDue(event, at)) askOpen(state, event, turn);
    const { asked } = event;
    if (asked === null) continue;
    const dueAt = asked.at + (asked.isAnswered ? LIVE_EVERY_MS : LIVE_PATIENCE_MS);
    state.livePausedUntil = Math.min(state.livePausedUntil, dueAt);
  }
}

function isDue({ asked, reason }: OpenEvent, at: number): boolean {
  return asked === null || reason !== null || Math.abs(at - asked.at) >= LIVE_EVERY_MS;
}

function askOpen(state: ForecastState, event: OpenEvent, turn: Turn): void {
  const { seq, at, account } = turn;
  const { reason, target, previous } = event;
  const { eventId, startAt, endAt, phase, ranges: buckets } = target;
  const fromAt = historyFrom(state, at);
  if (phase !== 'active' || startAt === null || at < startAt || at >= endAt) return;
  if (fromAt === null || buckets.length === 0) return;
  const count = ownCount(state, startAt, endAt);
  if (count === null) return;
  const params = state.fit?.params ?? coldStart();
  event.asked = { seq, at, params, isAnswered: false };
  event.reason = null;
  ask({ ...turn, cause: reason ?? 'clock' }, String(eventId), () => {
    const window = { eventId, now: at, startAt, endAt, count, buckets, seed: seedOf(eventId, MODEL) };
    const settlement = settlementFacts(state, { ...target, startAt });
    const posts = postsBefore(state, at);
    const known = { settlement, params, fromAt, ...posts, ...priorIn(state), previous };
    return { type: 'forecast', account, origin: 'live', horizonHours: null, ...window, ...known };
  });
}

/**
 * Requests the rows that no live forecast made, from what was known at their time: a few at once, and only while no
 * live forecast is awaited.
 */
export function askHistory(state: ForecastState, turn: Turn): void {
  if (!state.mayHaveHistory || state.fit === null || isAnyLiveAwaited(state, turn.at)) return;
  let awaited = 0;
  for (const asked of state.historyAsked.values()) {
    if (isAwaited(asked, turn.at, HISTORY_PATIENCE_MS)) awaited += 1;
  }
  for (const event of state.past.values()) {
    for (const hours of HORIZON_HOURS) {
      if (awaited >= MOST_HISTORY_ASKED) return;
      if (askPast(state, event, hours, turn)) awaited += 1;
    }
  }
  // A further request needs a new fact first, and that fact sets the flag again.
  state.mayHaveHistory = awaited > 0;
}

function isAnyLiveAwaited(state: ForecastState, at: number): boolean {
  for (const { asked } of state.open.values()) if (isAwaited(asked, at, LIVE_PATIENCE_MS)) return true;
  return false;
}

function askPast(state: ForecastState, event: PastEvent, hours: number, turn: Turn): boolean {
  const { target, made, outcome } = event;
  const { eventId, startAt, endAt, ranges: buckets } = target;
  if (outcome === null || startAt === null || buckets.length === 0) return false;
  if (madeFor(target, made).some((forecast) => forecast.hours === hours)) return false;
  if (!horizonsOf(startAt, endAt).includes(hours)) return false;
  const fromAt = historyFrom(state, turn.at);
  const earliestAt = horizonAt(endAt, Math.max(...HORIZON_HOURS)) - HISTORY_BEFORE_MS;
  if (fromAt === null || fromAt > earliestAt) return false;
  const now = horizonAt(endAt, hours);
  const count = ownCount(state, startAt, now);
  const key = `${eventId}@${hours}`;
  if (count === null || !mayAskAgain(state.historyAsked.get(key), target, turn.at)) return false;
  state.historyAsked.set(key, { seq: turn.seq, at: turn.at, isAnswered: false, window: target.window });
  const { account } = turn;
  ask({ ...turn, cause: 'model' }, key, () => {
    const window = { eventId, now, startAt, endAt, count, buckets, seed: seedOf(eventId, MODEL) };
    const posts = postsBefore(state, now);
    const known = { settlement: null, params: null, fromAt, ...posts, ...priorIn(state), previous: null };
    return { type: 'forecast', account, origin: 'history', horizonHours: hours, ...window, ...known };
  });
  return true;
}

/**
 * Keeps a request whose answer gave no row from being repeated at every tick. An answer about another window gives none,
 * so after that the window of now is asked about at once.
 */
function mayAskAgain(
  asked: (Asked & { readonly window: string }) | undefined,
  { window }: Target,
  at: number,
): boolean {
  if (asked === undefined || Math.abs(at - asked.at) >= HISTORY_PATIENCE_MS) return true;
  return asked.isAnswered && asked.window !== window;
}

/** The inputs of the model are gathered for those who ask it alone: a restart would have to read all past events for them. */
function ask({ seq, at, cause, isAsking, emit }: Turn, key: string, record: () => ModelRequest): void {
  if (!isAsking) return;
  emit({ type: 'request', value: { stream: 'requests', key, seq, at, cause, record: record() } });
}

function priorIn({ prior }: ForecastState) {
  return prior && { prior };
}

/** Creation times before `now`, ascending: of the counted posts, and of all posts. Worker threads share their memory. */
function postsBefore(
  { countedAt, postedAt }: ForecastState,
  now: number,
): { readonly postTimes: Float64Array; readonly activity: Float64Array } {
  return { postTimes: timesBefore(countedAt, now), activity: timesBefore(postedAt, now) };
}

function timesBefore(list: TimeList, now: number): Float64Array {
  const times = list.lend();
  return times.subarray(0, lowerBound(times, now));
}
