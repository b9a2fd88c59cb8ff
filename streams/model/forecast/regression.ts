import { exp, ln } from './exact.ts';
import { type Features, PHASES, RECENTS, TRENDS } from './features.ts';

/** How a horizon enters the formulas. */
export interface Reach {
  /** ln(h / 48). */
  readonly logHours: number;
  /** What is left after h hours of the account's recent state, and of the time of day. */
  readonly recentLeft: number;
  readonly phaseLeft: number;
}

export const MEAN_TERMS = 2 * TRENDS + RECENTS + PHASES;
export const DISPERSION_TERMS = 4 + PHASES + RECENTS;

const REFERENCE_HOURS = 48;
const RECENT_HOURS = 6;
const PHASE_HOURS = 18;
/** The formulas are not asked about less than this. */
const MIN_HOURS = 1 / 60;

export function reachOf(hours: number): Reach {
  const h = Math.max(MIN_HOURS, hours);
  return {
    logHours: ln(h / REFERENCE_HOURS),
    recentLeft: exp(-h / RECENT_HOURS),
    phaseLeft: exp(-h / PHASE_HOURS),
  };
}

/** Writes the terms of ln mu beyond level and profile: [x, g x, z, p], MODEL 3. */
export function meanTerms(row: Float64Array, at: number, features: Features, reach: Reach): void {
  const { trend, recent, phase } = features;
  for (let k = 0; k < TRENDS; k++) {
    const value = trend[k] ?? 0;
    row[at + k] = value;
    row[at + TRENDS + k] = value * reach.logHours;
  }
  for (let k = 0; k < RECENTS; k++) row[at + 2 * TRENDS + k] = (recent[k] ?? 0) * reach.recentLeft;
  for (let k = 0; k < PHASES; k++) row[at + 2 * TRENDS + RECENTS + k] = (phase[k] ?? 0) * reach.phaseLeft;
}

/** Writes the terms of ln phi: [1, g, g^2, v, p, z]. */
export function dispersionTerms(row: Float64Array, at: number, features: Features, reach: Reach): void {
  const { recent, phase, unevenness } = features;
  row[at] = 1;
  row[at + 1] = reach.logHours;
  row[at + 2] = reach.logHours * reach.logHours;
  row[at + 3] = unevenness;
  for (let k = 0; k < PHASES; k++) row[at + 4 + k] = (phase[k] ?? 0) * reach.phaseLeft;
  for (let k = 0; k < RECENTS; k++) row[at + 4 + PHASES + k] = (recent[k] ?? 0) * reach.recentLeft;
}

/** A row times coefficients. */
export function dot(row: Float64Array, at: number, coefficients: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < coefficients.length; k++) sum += (row[at + k] ?? 0) * (coefficients[k] ?? 0);
  return sum;
}
