import { exp, ln } from './exact.ts';
import { HORIZONS, type Training } from './training.ts';

const FIRST = HORIZONS.indexOf(24);
const LAST = HORIZONS.indexOf(168);
/**
 * Horizons whose record widens forecasts, in hours, ascending. Counts of shorter ones are too small for the test below,
 * and longer targets overlap so much that a single jump would fill the record.
 */
export const RECORD_HOURS: readonly number[] = HORIZONS.slice(FIRST, LAST + 1);

/** The p95 of a standard normal variable. */
const P95 = 1.645;
/** A record with fewer targets outside p5 to p95 than this asks for nothing: one in ten is promised, and they cluster. */
const TOLERATED_SHARE = 0.14;
/**
 * Adaptive conformal inference with a rate of 0.005, in ln of the variance: near the 90 % interval of a normal variable it
 * changes six times as fast as the level of the interval.
 */
const STEP = 0.03;
const MOST = ln(4);

/** The columns of the training of past targets. */
type PastTargets = Pick<Training, 'rows' | 'horizon' | 'count'>;

/**
 * Factors of the dispersion at each of `RECORD_HOURS`, or undefined where all are 1. They follow the past targets from the
 * oldest on: each that ended outside p5 to p95 of its forecast, as wide as it was by then, widens the next ones, each other
 * one takes back a little, and none becomes narrower than the model.
 */
export function wideningOf(
  targets: PastTargets,
  mu: Float64Array,
  phi: Float64Array,
): readonly number[] | undefined {
  const logs = new Float64Array(HORIZONS.length);
  for (let row = 0; row < targets.rows; row++) {
    const horizon = targets.horizon[row] ?? 0;
    if (horizon < FIRST || horizon > LAST) continue;
    const log = logs[horizon] ?? 0;
    const isOutside = liesOutside(targets.count[row] ?? 0, mu[row] ?? 0, (phi[row] ?? 0) * exp(log));
    const step = STEP * ((isOutside ? 1 : 0) - TOLERATED_SHARE);
    logs[horizon] = Math.max(0, Math.min(MOST, log + step));
  }
  if (logs.every((log) => log === 0)) return undefined;
  return RECORD_HOURS.map((_, index) => exp(logs[FIRST + index] ?? 0));
}

/**
 * The factor at a distance from the close, interpolated so that it never jumps: it fades within the last day, and beyond a
 * week it is that of a week.
 */
export function wideningAt(factors: readonly number[] | undefined, hours: number): number {
  if (factors === undefined) return 1;
  const next = RECORD_HOURS.findIndex((each) => each >= hours);
  if (next === -1) return factors.at(-1) ?? 1;
  const [low = 0, high = hours] = [RECORD_HOURS[next - 1], RECORD_HOURS[next]];
  const [from = 1, to = 1] = [factors[next - 1], factors[next]];
  return from + ((to - from) * (hours - low)) / (high - low);
}

/**
 * Whether a count lies outside p5 to p95 of a negative binomial: the cube root of a gamma variable is nearly normal (Wilson
 * and Hilferty). Half a post more makes up for counts being whole.
 */
function liesOutside(count: number, mu: number, phi: number): boolean {
  const variance = (phi + 1 / mu) / 9;
  const root = exp(ln((count + 0.5) / mu) / 3);
  return Math.abs(root - (1 - variance)) > P95 * Math.sqrt(variance);
}
