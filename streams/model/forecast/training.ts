import { exp, ln } from './exact.ts';
import { featuresAtMark } from './features.ts';
import { factorOf } from './profile.ts';
import { DISPERSION_TERMS, dispersionTerms, MEAN_TERMS, meanTerms, type Reach, reachOf } from './regression.ts';
import { type AccountSeries, MISSING } from './series.ts';
import { calendarOf, MARK_HOURS, SETTLED_HOURS, type Standing, standingOf } from './standing.ts';

/** Past forecasts with their outcomes: one row per origin and horizon that has come to its end. */
export interface Training {
  readonly rows: number;
  /** `MEAN_TERMS` and `DISPERSION_TERMS` numbers a row. */
  readonly mean: Float64Array;
  readonly dispersion: Float64Array;
  /** ln of what the 28-day level and the profile alone expect. */
  readonly offset: Float64Array;
  readonly count: Float64Array;
  readonly weight: Float64Array;
}

const HORIZONS = [3, 6, 12, 24, 36, 48, 72, 96, 120, 168, 336, 504, 720] as const;
const MAX_HORIZON = 720;
/** Horizons from here on overlap so much that every second origin is enough. */
const SPARSE_FROM_HOURS = 72;
const SPARSE_STEP_HOURS = 12;
const MAX_AGE_HOURS = 730 * 24;
const HALF_LIFE_HOURS = 182 * 24;
const LN_HALF = -0.6931471805599453;
/** Keeps ln finite where a profile says that nothing is ever posted. */
const MIN_MASS = 1e-6;

interface Target {
  readonly hours: number;
  readonly reach: Reach;
  readonly stepHours: number;
}

const TARGETS: readonly Target[] = HORIZONS.map((hours) => ({
  hours,
  reach: reachOf(hours),
  stepHours: hours < SPARSE_FROM_HOURS ? MARK_HOURS : SPARSE_STEP_HOURS,
}));

/** Everything the history up to its `now` can teach: no target reaches beyond it. */
export function trainingOf(series: AccountSeries): Training {
  const { counts } = series;
  const end = counts.length;
  const oldest = Math.max(SETTLED_HOURS, end - MAX_AGE_HOURS);
  const capacity = (Math.max(0, Math.floor((end - oldest) / MARK_HOURS)) + 2) * HORIZONS.length;
  const training = {
    rows: 0,
    mean: new Float64Array(capacity * MEAN_TERMS),
    dispersion: new Float64Array(capacity * DISPERSION_TERMS),
    offset: new Float64Array(capacity),
    count: new Float64Array(capacity),
    weight: new Float64Array(capacity),
  };
  const calendar = calendarOf(series, 1);
  standingOf(series, calendar, (standing) => {
    if (standing.index >= oldest && standing.observedHours >= SETTLED_HOURS) {
      addOrigin(training, standing, series, calendar);
    }
  });
  return training;
}

function addOrigin(
  training: { -readonly [Key in keyof Training]: Training[Key] },
  standing: Standing,
  series: AccountSeries,
  calendar: Uint8Array,
): void {
  const { counts } = series;
  const origin = standing.index;
  const clock = (calendar[origin] ?? 0) % 24;
  const features = featuresAtMark(standing, series, clock);
  const age = exp((LN_HALF * (counts.length - origin)) / HALF_LIFE_HOURS);
  let mass = 0;
  let posts = 0;
  let passed = 0;
  for (const { hours, reach, stepHours } of TARGETS) {
    if (origin + hours > counts.length || hours > MAX_HORIZON) return;
    for (; passed < hours; passed++) {
      const count = counts[origin + passed] ?? MISSING;
      // From here on no longer target of this origin is known.
      if (count === MISSING) return;
      posts += count;
      mass += factorOf(standing.profile, calendar[origin + passed] ?? 0);
    }
    if (clock % stepHours !== 0) continue;
    const row = training.rows++;
    meanTerms(training.mean, row * MEAN_TERMS, features, reach);
    dispersionTerms(training.dispersion, row * DISPERSION_TERMS, features, reach);
    training.offset[row] = features.level + ln(mass + MIN_MASS);
    training.count[row] = posts;
    training.weight[row] = age * Math.min(1, stepHours / hours);
  }
}
