import { HOUR_MS } from '../durations.ts';
import { type AccountState, BASE_LEVEL, LEVEL_DAYS, LEVELS } from './account-state.ts';
import { cosTurns, exp, ln, sinTurns } from './exact.ts';
import { factorOf } from './profile.ts';
import { type AccountSeries, MISSING } from './series.ts';

/** The inputs of the regression at one instant (MODEL 3.3). */
interface Features {
  /** ln of the 28-day level in posts per hour of the profile, with a floor far below that of the differences. */
  readonly level: number;
  /**
   * x: one, and how the other levels differ (6 numbers); z: the last hours' level and the time since the last
   * post (2); p: cosine and sine of one and two cycles a day (4); v: unevenness less its mean (1); s: how far the last
   * day is from its week and the week from its month, either way (2).
   */
  readonly values: Float64Array;
}

/** Where each group begins in `values`. */
export const TREND = 0;
export const RECENT = 6;
export const PHASE = 8;
export const UNEVENNESS = 12;
export const SHIFT = 13;
export const FEATURES = 15;

const LEVEL_PRIOR = 0.001;
const LEVEL_FLOOR = 0.01;
/** Small against the level of an account with one post a day, which is 0.04. */
const BASE_FLOOR = 0.0005;
const RECENT_LIMIT = 6;
/** About the mean of ln(1 + hours since the last post). */
const USUAL_WAIT = 0.7;
const NO_POST_HOURS = 24 * 56;

/** The elapsed part of the present hour: its posts, its length in hours and the profile's factor. */
interface ElapsedPart {
  readonly count: number;
  readonly hours: number;
  readonly factor: number;
}

const NOTHING_ELAPSED: ElapsedPart = { count: 0, hours: 0, factor: 1 };

/** At the start of the state's hour. */
export function featuresAtMark(state: AccountState, series: AccountSeries, clockHour: number): Features {
  const { lastPostIndex, index } = state;
  const lastMs = series.lastPostMs[lastPostIndex] ?? 0;
  const waited = lastPostIndex < 0 ? NO_POST_HOURS : index - lastPostIndex - lastMs / HOUR_MS;
  return featuresOf(state, NOTHING_ELAPSED, waited, clockHour);
}

/** At `series.now`, from the state at the start of that hour. */
export function featuresNow(state: AccountState, series: AccountSeries, hourOfWeek: number): Features {
  const { now, fromHour, counts, countThisHour, lastPostAt } = series;
  const passed = now / HOUR_MS - (fromHour + counts.length);
  const factor = factorOf(state.profile, hourOfWeek);
  const elapsed =
    countThisHour === MISSING ? NOTHING_ELAPSED : { count: countThisHour, hours: passed, factor };
  const waited = lastPostAt === null ? NO_POST_HOURS : (now - lastPostAt) / HOUR_MS;
  return featuresOf(state, elapsed, waited, (hourOfWeek % 24) + passed);
}

function featuresOf(state: AccountState, elapsed: ElapsedPart, waited: number, clock: number): Features {
  const logs = new Float64Array(LEVELS);
  let base = 0;
  for (let level = 0; level < LEVELS; level++) {
    const decay = elapsed.hours === 0 ? 1 : exp(-elapsed.hours / (24 * (LEVEL_DAYS[level] ?? 1)));
    const posts = (state.posts[level] ?? 0) * decay + elapsed.count;
    const hours = (state.hours[level] ?? 0) * decay + elapsed.hours * elapsed.factor;
    const rate = (posts + LEVEL_PRIOR) / (hours + LEVEL_PRIOR);
    logs[level] = ln(rate + LEVEL_FLOOR);
    if (level === BASE_LEVEL) base = ln(rate + BASE_FLOOR);
  }
  const [l025 = 0, l1 = 0, l3 = 0, l7 = 0, l14 = 0, l28 = 0, l56 = 0] = logs;
  const turns = clock / 24;
  const values = Float64Array.of(
    ...[1, l1 - l7, l3 - l7, l7 - l28, l14 - l28, l56 - l28],
    ...[Math.max(-RECENT_LIMIT, Math.min(RECENT_LIMIT, l025)) - l1, ln(1 + waited) - USUAL_WAIT],
    ...[cosTurns(turns), sinTurns(turns), cosTurns(2 * turns), sinTurns(2 * turns)],
    state.unevenness - state.meanUnevenness,
    ...[Math.abs(l1 - l7), Math.abs(l7 - l28)],
  );
  return { level: base, values };
}
