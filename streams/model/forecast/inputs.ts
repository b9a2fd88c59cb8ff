import { DAY_MS, HOUR_MS } from '../durations.ts';
import { type AccountState, accountState, calendarOf } from './account-state.ts';
import { biasAt } from './bias.ts';
import { exp, ln } from './exact.ts';
import { featuresNow } from './features.ts';
import type { ModelParams } from './params.ts';
import { factorOf } from './profile.ts';
import { byFactor, DISPERSION_COLUMNS, FACTORS, factorsOf, MEAN_COLUMNS, predictor } from './regression.ts';
import type { AccountSeries } from './series.ts';
import { wideningAt } from './widening.ts';

/** A window to forecast, [startAt, endAt), and the posts in it so far. */
export interface ForecastWindow {
  readonly startAt: number;
  readonly endAt: number;
  readonly count: number;
}

/** All that a forecast depends on besides chance. Plain JSON. */
export interface ForecastInputs {
  readonly version: string;
  readonly now: number;
  readonly endAt: number;
  readonly count: number;
  /** Expected posts until the end; 0 once the window has closed. */
  readonly mean: number;
  /** Relative variance of the level: the remaining count has variance mean + dispersion * mean^2. */
  readonly dispersion: number;
  /** Share of `mean` in each of the 24 h before the end, the last ones first. */
  readonly shares: readonly number[];
}

/** An account at `series.now`, from which any number of windows can be forecast. */
export interface AccountNow {
  readonly series: AccountSeries;
  readonly state: AccountState;
  readonly calendar: Uint8Array;
}

/** The calendar reaches this far ahead; no window ends later. */
const MAX_AHEAD_HOURS = 92 * 24;
/** Relative variance of the level of an unknown account, times half a day. The variance falls with each observed day. */
const YOUNG_VARIANCE_DAYS = 0.6;
const YOUNG_DAYS = 28;
/** Fits to eight weeks underestimated the dispersion by a third, fits to half a year did not. */
const FIT_DOUBT_DAYS = 56;
const MIN_DISPERSION = 1e-4;
const MAX_DISPERSION = 20;

export function accountNow(series: AccountSeries): AccountNow {
  const calendar = calendarOf(series, MAX_AHEAD_HOURS);
  return { series, state: accountState(series, calendar), calendar };
}

/** The inputs of a forecast made at `series.now`. */
export function inputsAt(
  { series, state, calendar }: AccountNow,
  params: ModelParams,
  window: ForecastWindow,
): ForecastInputs {
  const { now } = series;
  const { startAt, endAt, count } = window;
  const base = { version: params.version, now, endAt, count };
  if (now >= endAt) return { ...base, mean: 0, dispersion: MIN_DISPERSION, shares: [] };
  const fromAt = Math.max(now, startAt);
  const masses = massByDay(state, calendar, series.fromHour, fromAt, endAt);
  const mass = masses.reduce((sum, part) => sum + part, 0);

  const { level, values } = featuresNow(state, series, calendar[series.counts.length] ?? 0);
  const hours = (endAt - now) / HOUR_MS;
  const factors = factorsOf(hours);
  const sums = new Float64Array(FACTORS);
  byFactor(sums, MEAN_COLUMNS, params.mean, values);
  const bias = biasAt(params.bias, hours);
  const mean = bias * exp(level + ln(mass + 1e-6) + predictor(sums, factors));
  // A window that has not begun has at least the dispersion of an open one of the same length.
  const ownLength = factorsOf((endAt - fromAt) / HOUR_MS);
  byFactor(sums, DISPERSION_COLUMNS, params.dispersion, values);
  const logDispersion = Math.max(
    predictor(sums, factors),
    predictor(sums, Float64Array.of(...ownLength.subarray(0, 3), ...factors.subarray(3))),
  );
  return {
    ...base,
    mean,
    dispersion: widened(exp(logDispersion) * wideningAt(params.widening, hours), state),
    shares: masses.map((part) => part / mass),
  };
}

/**
 * Adds the uncertainty of a short history: that of the fit, which fades over months, and that of the level, while the
 * history is shorter than the memory of the levels.
 */
function widened(dispersion: number, { observedHours }: AccountState): number {
  const days = observedHours / 24;
  const ofFit = 1 + exp(-days / FIT_DOUBT_DAYS);
  const ofLevel = (YOUNG_VARIANCE_DAYS / (days + 0.5)) * exp(-days / YOUNG_DAYS);
  return Math.max(MIN_DISPERSION, Math.min(MAX_DISPERSION, dispersion * ofFit + ofLevel));
}

/**
 * The profile's mass between two times for each 24 h before `endAt`, the last ones first. Counted from the end, a day
 * keeps its index, and with it its draws, while time passes.
 */
function massByDay(
  { profile }: AccountState,
  calendar: Uint8Array,
  firstHour: number,
  fromAt: number,
  endAt: number,
): number[] {
  const masses = new Array<number>(Math.ceil((endAt - fromAt) / DAY_MS)).fill(0);
  for (let at = fromAt; at < endAt; ) {
    const hour = Math.floor(at / HOUR_MS);
    const day = Math.ceil((endAt - at) / DAY_MS) - 1;
    const next = Math.min((hour + 1) * HOUR_MS, endAt - day * DAY_MS);
    const factor = factorOf(profile, calendar[hour - firstHour] ?? 0);
    masses[day] = (masses[day] ?? 0) + (factor * (next - at)) / HOUR_MS;
    at = next;
  }
  return masses;
}
