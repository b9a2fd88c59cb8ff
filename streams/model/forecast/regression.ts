import { exp, ln } from './exact.ts';
import { PHASE, RECENT, SHIFT, TREND, UNEVENNESS } from './features.ts';

/**
 * Both formulas are sums of coefficient * feature * factor of the horizon. A column names the feature and the factor, so
 * that a fit can handle all horizons of an origin at once.
 */
export interface Column {
  readonly feature: number;
  readonly factor: number;
}

/** Factors of a horizon of h hours: 1, g = ln(h / 48), g^2, e^(-h/6), e^(-h/18). */
export const FACTORS = 5;
const ONE = 0;
const LOG = 1;
const LOG_SQUARED = 2;
const RECENT_LEFT = 3;
const PHASE_LEFT = 4;

/** The last day against its week, and the week against its month. */
const DAY_TREND = TREND + 1;
const WEEK_TREND = TREND + 3;

const REFERENCE_HOURS = 48;
const RECENT_HOURS = 6;
const PHASE_HOURS = 18;
/** The formulas are not used for less than this. */
const MIN_HOURS = 1 / 60;

function columns(factor: number, firstFeature: number, count: number): Column[] {
  return Array.from({ length: count }, (_, index) => ({ feature: firstFeature + index, factor }));
}

/** ln mu beyond level and profile: [x, g x, z, p] (MODEL 3). */
export const MEAN_COLUMNS: readonly Column[] = [
  ...columns(ONE, TREND, 6),
  ...columns(LOG, TREND, 6),
  ...columns(RECENT_LEFT, RECENT, 2),
  ...columns(PHASE_LEFT, PHASE, 4),
];

/**
 * ln phi: [1, g, g^2, v, p, z], and the effect of a shift of the level: [x1, s1, x3, s2]. The first trend is the constant
 * one.
 */
export const DISPERSION_COLUMNS: readonly Column[] = [
  ...columns(ONE, TREND, 1),
  ...columns(LOG, TREND, 1),
  ...columns(LOG_SQUARED, TREND, 1),
  ...columns(ONE, UNEVENNESS, 1),
  ...columns(PHASE_LEFT, PHASE, 4),
  ...columns(RECENT_LEFT, RECENT, 2),
  ...columns(ONE, DAY_TREND, 1),
  ...columns(ONE, SHIFT, 1),
  ...columns(ONE, WEEK_TREND, 1),
  ...columns(ONE, SHIFT + 1, 1),
];

export function factorsOf(hours: number): Float64Array {
  const h = Math.max(MIN_HOURS, hours);
  const log = ln(h / REFERENCE_HOURS);
  return Float64Array.of(1, log, log * log, exp(-h / RECENT_HOURS), exp(-h / PHASE_HOURS));
}

/** Sums coefficient * feature by factor, so that a horizon only has to combine five numbers. */
export function byFactor(
  sums: Float64Array,
  terms: readonly Column[],
  coefficients: ArrayLike<number>,
  features: Float64Array,
  at = 0,
): void {
  sums.fill(0);
  for (let k = 0; k < terms.length; k++) {
    const term = terms[k];
    if (term === undefined) continue;
    sums[term.factor] =
      (sums[term.factor] ?? 0) + (coefficients[k] ?? 0) * (features[at + term.feature] ?? 0);
  }
}

/** The value of a formula from its sums by factor. */
export function predictor(sums: Float64Array, factors: Float64Array, at = 0): number {
  let value = 0;
  for (let factor = 0; factor < FACTORS; factor++) value += (sums[factor] ?? 0) * (factors[at + factor] ?? 0);
  return value;
}
