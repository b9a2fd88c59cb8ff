import { HOUR_MS } from '../model/durations.ts';
import { isSame } from '../model/is-same.ts';
import { type SettledPosts, settledPosts } from '../model/settlement.ts';
import {
  deletedBetween,
  type ForecastState,
  keptFrom,
  ownCount,
  type Target,
  type Turn,
} from './forecast-state.ts';
import type { Outcome } from './messages.ts';

/** So long after the end the oracle's total is taken as final, though it may still be corrected. */
const FINAL_AFTER_MS = 2 * HOUR_MS;

/** Emits the outcome of past events when it is first known, and again when it is corrected. */
export function settle(state: ForecastState, turn: Turn): void {
  if (!state.mayHaveSettled && turn.at < state.settlesAt) return;
  state.mayHaveSettled = false;
  state.settlesAt = Number.MAX_SAFE_INTEGER;
  for (const [eventId, event] of state.past) {
    const { target, outcome: known } = event;
    if (target.endAt < keptFrom(turn.at)) {
      state.past.delete(eventId);
      continue;
    }
    if (target.phase !== 'closed') continue;
    const settledAt = target.wonLo === null ? target.endAt + FINAL_AFTER_MS : target.endAt;
    // An event stays settled when the clock is set back, so a correction is emitted at once.
    const isSettled = known !== null && known.wonLo === target.wonLo && known.window === target.window;
    if (!isSettled && turn.at < settledAt) {
      state.settlesAt = Math.min(state.settlesAt, settledAt);
      continue;
    }
    const outcome = outcomeOf(state, target);
    if (outcome === null || isSame(outcome, known)) continue;
    event.outcome = outcome;
    event.settled = settledOf(state, target, outcome);
    state.mayHaveHistory = true;
    const { account, seq, at, cause } = turn;
    turn.emit({ type: 'outcome', value: { account, seq, at, cause, outcome } });
  }
}

/** The oracle's total decides. Without one our own count does, if it is complete. */
function outcomeOf(
  state: ForecastState,
  { eventId, startAt, endAt, window, trackingId, wonLo }: Target,
): Outcome | null {
  const total = trackingId === null ? undefined : state.totals.get(trackingId)?.total;
  const own = startAt === null ? null : ownCount(state, startAt, endAt);
  if (total !== undefined) return { eventId, endAt, window, final: total, own, wonLo };
  return own === null ? null : { eventId, endAt, window, final: own, own: null, wonLo };
}

/** How our own count differed, if all of the window was followed live. */
function settledOf(
  state: ForecastState,
  { startAt, endAt }: Target,
  { final, own }: Outcome,
): SettledPosts | null {
  if (own === null || startAt === null || startAt < state.followedFrom) return null;
  return settledPosts(own, final, deletedBetween(state, startAt, endAt), state.oracleLag);
}
