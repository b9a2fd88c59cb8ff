import { ENTRIES, gammaTable } from './gamma-table.ts';
import type { ForecastInputs } from './inputs.ts';

/** Paths of a forecast: 2^15, as the lattice needs a power of two. The loops have it and the 12 bits of a table as literals. */
export const PATHS = 32_768;
/** Generator of the lattice, chosen by search for low error in up to 32 dimensions. */
const GENERATOR = 2_221;
const STRIDE = 4_294_967_296 / PATHS;

/** Relative variance of a single day around the level of its path (MODEL 3, simulation). */
const DAY_VARIANCE = 0.2;
/** The share of the dispersion that is never taken from the level. */
const MIN_LEVEL_SHARE = 0.15;
const DAY_TABLE = gammaTable(DAY_VARIANCE);

/** How the dispersion is split between the level of a path and its days. */
export interface Spread {
  readonly level: number;
  readonly day: number;
}

export function spreadOf({ dispersion, shares }: Pick<ForecastInputs, 'dispersion' | 'shares'>): Spread {
  const squares = shares.reduce((sum, share) => sum + share * share, 0);
  const level = (dispersion - DAY_VARIANCE * squares) / (1 + DAY_VARIANCE * squares);
  const least = MIN_LEVEL_SHARE * dispersion;
  if (level >= least) return { level, day: DAY_VARIANCE };
  return { level: least, day: ((1 + dispersion) / (1 + least) - 1) / squares };
}

/** The equally likely values that the factors of a forecast are drawn from. */
export interface FactorTables {
  readonly level: Float64Array;
  readonly day: Float64Array;
}

export function tablesOf(inputs: ForecastInputs): FactorTables {
  const { level, day } = spreadOf(inputs);
  return { level: gammaTable(level), day: day === DAY_VARIANCE ? DAY_TABLE : gammaTable(day) };
}

// Written and read within one call. As constants of the module their place is known to the compiler, which makes the
// loops below twice as fast as over arguments.
const means = new Float64Array(PATHS);
const dayFactors = new Float64Array(ENTRIES);
const levelFactors = new Float64Array(ENTRIES);
const scales = new Float64Array(8);
const steps = new Int32Array(8);
const starts = new Int32Array(8);

/**
 * The expected remainder of each path: mean times a level factor times the days' factors, weighed by their shares.
 * The draws are the points of a lattice moved by the seed, one dimension for the level and one for each day before
 * the end. So a seed fixes which quantile every path has of every factor, and a forecast moves only as its inputs do.
 * The result is valid until the next call.
 */
export function pathMeans(
  { mean, shares }: ForecastInputs,
  tables: FactorTables,
  seed: number,
): Float64Array {
  dayFactors.set(tables.day);
  levelFactors.set(tables.level);
  means.fill(0);
  let generator = 1;
  for (let first = 0; first < shares.length; first += 8) {
    for (let offset = 0; offset < 8; offset++) {
      generator = Math.imul(generator, GENERATOR) & (PATHS - 1);
      scales[offset] = mean * (shares[first + offset] ?? 0);
      steps[offset] = generator * STRIDE;
      starts[offset] = start(seed, first + offset + 1);
    }
    addDays(start(seed, 0));
  }
  return means;
}

/**
 * Adds the eight days whose dimensions are set: of path k the upper bits of `(k + start) * step` pick its factor, and
 * those of `(k + levelStart) * 2^17` the level's. Eight at once, with all their state in locals, take half the time of
 * one after the other.
 */
function addDays(levelStart: number): void {
  const startLevel = levelStart | 0;
  const stepA = steps[0] ?? 0;
  const stepB = steps[1] ?? 0;
  const stepC = steps[2] ?? 0;
  const stepD = steps[3] ?? 0;
  const stepE = steps[4] ?? 0;
  const stepF = steps[5] ?? 0;
  const stepG = steps[6] ?? 0;
  const stepH = steps[7] ?? 0;
  const startA = starts[0] ?? 0;
  const startB = starts[1] ?? 0;
  const startC = starts[2] ?? 0;
  const startD = starts[3] ?? 0;
  const startE = starts[4] ?? 0;
  const startF = starts[5] ?? 0;
  const startG = starts[6] ?? 0;
  const startH = starts[7] ?? 0;
  const scaleA = scales[0] ?? 0;
  const scaleB = scales[1] ?? 0;
  const scaleC = scales[2] ?? 0;
  const scaleD = scales[3] ?? 0;
  const scaleE = scales[4] ?? 0;
  const scaleF = scales[5] ?? 0;
  const scaleG = scales[6] ?? 0;
  const scaleH = scales[7] ?? 0;
  for (let path = 0; path < 32_768; path++) {
    // No sum here can leave the whole numbers of 31 bits, and so none is ever computed as a fraction.
    const factorA = dayFactors[Math.imul(path + startA, stepA) >>> 20] ?? 0;
    const factorB = dayFactors[Math.imul(path + startB, stepB) >>> 20] ?? 0;
    const factorC = dayFactors[Math.imul(path + startC, stepC) >>> 20] ?? 0;
    const factorD = dayFactors[Math.imul(path + startD, stepD) >>> 20] ?? 0;
    const factorE = dayFactors[Math.imul(path + startE, stepE) >>> 20] ?? 0;
    const factorF = dayFactors[Math.imul(path + startF, stepF) >>> 20] ?? 0;
    const factorG = dayFactors[Math.imul(path + startG, stepG) >>> 20] ?? 0;
    const factorH = dayFactors[Math.imul(path + startH, stepH) >>> 20] ?? 0;
    const first = scaleA * factorA + scaleB * factorB + scaleC * factorC + scaleD * factorD;
    const second = scaleE * factorE + scaleF * factorF + scaleG * factorG + scaleH * factorH;
    const level = levelFactors[((path + startLevel) << 17) >>> 20] ?? 0;
    means[path] = (means[path] ?? 0) + level * (first + second);
  }
}

/** With which of its points the lattice begins in a dimension: 15 well mixed bits. */
function start(seed: number, dimension: number): number {
  let h = Math.imul((seed | 0) ^ Math.imul(dimension + 1, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 17;
}
