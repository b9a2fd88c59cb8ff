import { exp, ln } from './exact.ts';
import { hoursOfWeek } from './new-york.ts';
import {
  addToSums,
  emptyProfileSums,
  factorOf,
  flatProfile,
  PROFILE_HOURS,
  type Profile,
  type ProfileSums,
  updateClock,
} from './profile.ts';
import { type AccountSeries, type AssumedPast, MISSING } from './series.ts';
import { learnWeekdays } from './weekdays.ts';

/** Memory of the levels, in days (MODEL 3.2). */
export const LEVEL_DAYS = [0.25, 1, 3, 7, 14, 28, 56] as const;
export const LEVELS = LEVEL_DAYS.length;
/** Index of the 28-day level, with which the others are compared. */
export const BASE_LEVEL = 5;
/** Profile and unevenness are updated when the New York clock shows 0, 6, 12 and 18. */
export const MARK_HOURS = 6;
/** With fewer hours, levels and unevenness depend more on the start of the history than on the account. */
export const SETTLED_HOURS = 20 * 24;
const UNEVEN_DAYS = 14;
const MIN_UNEVEN_DAYS = 4;

const HOURLY_DECAY = Float64Array.from(LEVEL_DAYS, (days) => exp(-1 / (24 * days)));

/** The state of an account at the start of an hour, from earlier hours only. */
export interface AccountState {
  /** Hours since the beginning of the series. */
  index: number;
  /** Decayed posts, and decayed hours weighted by the profile, for each of `LEVEL_DAYS`. */
  readonly posts: Float64Array;
  readonly hours: Float64Array;
  readonly profile: Profile;
  /** ln of the relative variance of the last 14 daily counts, and its mean over all marks so far. */
  unevenness: number;
  meanUnevenness: number;
  /** Index of the last whole hour with a post; -1 before the first one. */
  lastPostIndex: number;
  /** Hours observed so far. */
  observedHours: number;
}

interface Marks {
  readonly sums: ProfileSums;
  readonly dayTotals: Int32Array;
  /** Number and sum of the unevenness values at marks after the first `SETTLED_HOURS`. */
  count: number;
  total: number;
}

/** Totals of the New York days so far. The first day is incomplete. */
interface Days {
  readonly totals: Int32Array;
  count: number;
  /** Posts of the present day. */
  posts: number;
  isWhole: boolean;
}

/** The hour of the week of every hour of the series and of some after it. */
export function calendarOf(series: AccountSeries, hoursAhead: number): Uint8Array {
  return hoursOfWeek(series.fromHour, series.counts.length + hoursAhead);
}

/**
 * Goes through the history hour by hour up to the start of the present hour. `onMark` gets the same object at every
 * mark, and must not keep it.
 */
export function accountState(
  series: AccountSeries,
  calendar: Uint8Array,
  onMark: (state: AccountState) => void = () => {},
): AccountState {
  const { counts } = series;
  const state = initialState(series.assumed);
  const marks: Marks = { sums: emptyProfileSums(), dayTotals: totalsOfDays(counts), count: 0, total: 0 };
  const days: Days = {
    totals: new Int32Array(Math.ceil(counts.length / 23) + 1),
    count: 0,
    posts: 0,
    isWhole: false,
  };
  for (let index = 0; index <= counts.length; index++) {
    state.index = index;
    const hourOfWeek = calendar[index] ?? 0;
    if (hourOfWeek % 24 === 0 && index > 0) endDay(state, days, hourOfWeek);
    if ((hourOfWeek % 24) % MARK_HOURS === 0 && index > 0) {
      updateAtMark(state, marks);
      onMark(state);
    }
    if (index === counts.length) break;
    const count = counts[index] ?? MISSING;
    if (index >= PROFILE_HOURS) {
      const leaving = counts[index - PROFILE_HOURS] ?? MISSING;
      if (leaving !== MISSING) addToSums(marks.sums, calendar[index - PROFILE_HOURS] ?? 0, leaving, -1);
    }
    if (count === MISSING) days.isWhole = false;
    else days.posts += count;
    // The levels do not decay during an unseen hour.
    if (count === MISSING) continue;
    addToSums(marks.sums, hourOfWeek, count, 1);
    updateLevels(state, count, factorOf(state.profile, hourOfWeek));
    if (count > 0) state.lastPostIndex = index;
  }
  return state;
}

/** The assumed past fades as the levels do. */
function initialState({ hours, postsPerHour }: AssumedPast): AccountState {
  return {
    index: 0,
    posts: new Float64Array(LEVELS).fill(hours * postsPerHour),
    hours: new Float64Array(LEVELS).fill(hours),
    profile: flatProfile(),
    unevenness: 0,
    meanUnevenness: 0,
    lastPostIndex: -1,
    observedHours: 0,
  };
}

/** Ends a New York day. `hourOfWeek` is the midnight after it. */
function endDay(state: AccountState, days: Days, hourOfWeek: number): void {
  days.totals[days.count] = days.isWhole ? days.posts : MISSING;
  days.count += 1;
  days.posts = 0;
  days.isWhole = true;
  const lastWeekday = (hourOfWeek / 24 + 6) % 7;
  learnWeekdays(state.profile.byWeekday, days.totals, days.count, lastWeekday);
}

function updateLevels(state: AccountState, count: number, weight: number): void {
  const { posts, hours } = state;
  for (let level = 0; level < LEVELS; level++) {
    const decay = HOURLY_DECAY[level] ?? 1;
    posts[level] = (posts[level] ?? 0) * decay + count;
    hours[level] = (hours[level] ?? 0) * decay + weight;
  }
  state.observedHours += 1;
}

function updateAtMark(state: AccountState, marks: Marks): void {
  updateClock(state.profile.byHour, marks.sums);
  const unevenness = unevennessOf(marks.dayTotals, state.index);
  if (unevenness !== null && state.observedHours >= SETTLED_HOURS) {
    marks.count += 1;
    marks.total += unevenness;
    state.meanUnevenness = marks.total / marks.count;
  }
  // Unevenness is relative to its mean, so it is 0 until there is one.
  state.unevenness = marks.count === 0 ? 0 : (unevenness ?? state.meanUnevenness);
}

/** The unevenness of the last 14 days of 24 h before `end`, without days with missing hours; null with fewer than 4. */
function unevennessOf(dayTotals: Int32Array, end: number): number | null {
  let days = 0;
  let sum = 0;
  let squares = 0;
  for (let day = 1; day <= UNEVEN_DAYS; day++) {
    const total = end - 24 * day < 0 ? MISSING : dayTotals[end - 24 * day];
    if (total === undefined || total === MISSING) continue;
    days += 1;
    sum += total;
    squares += total * total;
  }
  if (days < MIN_UNEVEN_DAYS) return null;
  const mean = sum / days;
  const variance = Math.max(0, squares / days - mean * mean);
  return ln((variance + mean) / (mean * mean + 1) + 0.02);
}

/** Posts in the 24 h from each hour on, or `MISSING` when one of these hours is missing. */
function totalsOfDays(counts: Int16Array): Int32Array {
  const totals = new Int32Array(Math.max(0, counts.length - 23));
  let posts = 0;
  let missing = 0;
  for (let index = 0; index < counts.length; index++) {
    const entering = counts[index] ?? MISSING;
    if (entering === MISSING) missing += 1;
    else posts += entering;
    if (index >= 24) {
      const leaving = counts[index - 24] ?? MISSING;
      if (leaving === MISSING) missing -= 1;
      else posts -= leaving;
    }
    if (index >= 23) totals[index - 23] = missing > 0 ? MISSING : posts;
  }
  return totals;
}
