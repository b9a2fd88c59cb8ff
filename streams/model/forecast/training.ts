import { type AccountState, accountState, calendarOf, MARK_HOURS, SETTLED_HOURS } from './account-state.ts';
import { exp, ln } from './exact.ts';
import { FEATURES, featuresAtMark } from './features.ts';
import { factorOf } from './profile.ts';
import { factorsOf } from './regression.ts';
import { type AccountSeries, MISSING } from './series.ts';

/** Horizons fitted to, in hours. */
export const HORIZONS = [3, 6, 12, 24, 36, 48, 72, 96, 120, 168, 336, 504, 720] as const;

/** Past origins, each with the horizons that have ended, shortest first. */
export interface Training {
  origins: number;
  rows: number;
  /** `FEATURES` numbers an origin. */
  readonly features: Float64Array;
  /** The first row of each origin; one more at the end. */
  readonly firstRow: Int32Array;
  /** Which horizon a row is for. */
  readonly horizon: Uint8Array;
  /** ln of what the 28-day level and the profile alone expect. */
  readonly offset: Float64Array;
  readonly count: Float64Array;
  readonly weight: Float64Array;
}

/** `FACTORS` numbers a horizon. */
export const HORIZON_FACTORS = Float64Array.from(HORIZONS.flatMap((hours) => [...factorsOf(hours)]));

/** From here on horizons overlap so much that every second origin is enough. */
const SPARSE_FROM_HOURS = 72;
const SPARSE_STEP_HOURS = 12;
const MAX_AGE_HOURS = 730 * 24;
const HALF_LIFE_HOURS = 182 * 24;
const LN_HALF = -Math.LN2;
/** Keeps ln finite where the profile expects no posts. */
const MIN_MASS = 1e-6;

/** All targets that ended before `now` of the history. */
export function trainingOf(series: AccountSeries): Training {
  const end = series.counts.length;
  const oldest = Math.max(SETTLED_HOURS, end - MAX_AGE_HOURS);
  // A day has four marks, except that the clock repeats or skips an hour twice a year.
  const origins = Math.max(0, Math.floor((end - oldest) / MARK_HOURS)) + 8;
  const rows = origins * HORIZONS.length;
  const training: Training = {
    origins: 0,
    rows: 0,
    features: new Float64Array(origins * FEATURES),
    firstRow: new Int32Array(origins + 1),
    horizon: new Uint8Array(rows),
    offset: new Float64Array(rows),
    count: new Float64Array(rows),
    weight: new Float64Array(rows),
  };
  const calendar = calendarOf(series, 1);
  accountState(series, calendar, (state) => {
    if (state.index >= oldest && state.observedHours >= SETTLED_HOURS) {
      addOrigin(training, state, series, calendar);
    }
  });
  return training;
}

function addOrigin(
  training: Training,
  state: AccountState,
  series: AccountSeries,
  calendar: Uint8Array,
): void {
  const { counts } = series;
  const origin = state.index;
  const clock = (calendar[origin] ?? 0) % 24;
  const features = featuresAtMark(state, series, clock);
  const age = exp((LN_HALF * (counts.length - origin)) / HALF_LIFE_HOURS);
  let mass = 0;
  let posts = 0;
  let passed = 0;
  for (let index = 0; index < HORIZONS.length; index++) {
    const hours = HORIZONS[index] ?? 0;
    if (origin + hours > counts.length) break;
    const until = origin + hours;
    let isKnown = true;
    for (; origin + passed < until && isKnown; passed++) {
      const count = counts[origin + passed] ?? MISSING;
      isKnown = count !== MISSING;
      posts += count;
      mass += factorOf(state.profile, calendar[origin + passed] ?? 0);
    }
    // Every longer horizon is unknown as well.
    if (!isKnown) break;
    const stepHours = hours < SPARSE_FROM_HOURS ? MARK_HOURS : SPARSE_STEP_HOURS;
    if (clock % stepHours !== 0) continue;
    const row = training.rows++;
    training.horizon[row] = index;
    training.offset[row] = features.level + ln(mass + MIN_MASS);
    training.count[row] = posts;
    training.weight[row] = age * Math.min(1, stepHours / hours);
  }
  training.features.set(features.values, training.origins * FEATURES);
  training.origins += 1;
  training.firstRow[training.origins] = training.rows;
}
