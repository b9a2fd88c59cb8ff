import { gammaTable, TABLE_BITS } from './gamma-table.ts';
import type { ForecastInputs } from './inputs.ts';

/** Paths of a forecast, a power of two as the lattice needs it. */
export const PATHS = 32_768;
/** Generator of the lattice, chosen by search for low error in up to 32 dimensions. */
const GENERATOR = 2_221;
const STRIDE = 4_294_967_296 / PATHS;
const SHIFT = 32 - TABLE_BITS;

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

/**
 * The expected remainder of each path: mean times a level factor times the days' factors, weighed by their shares.
 * The draws are the points of a lattice moved by the seed, one dimension for the level and one for each day before
 * the end. So a seed fixes which quantile every path has of every factor, and a forecast moves only as its inputs do.
 */
export function pathMeans(inputs: ForecastInputs, seed: number): Float64Array {
  const { mean, shares } = inputs;
  const spread = spreadOf(inputs);
  const dayTable = spread.day === DAY_VARIANCE ? DAY_TABLE : gammaTable(spread.day);
  const means = new Float64Array(PATHS);
  let generator = 1;
  for (let day = 0; day < shares.length; day++) {
    generator = Math.imul(generator, GENERATOR) & (PATHS - 1);
    addFactor(means, dayTable, mean * (shares[day] ?? 0), generator * STRIDE, start(seed, day + 1));
  }
  multiplyFactor(means, gammaTable(spread.level), STRIDE, start(seed, 0));
  return means;
}

// Dimension by dimension, so that the state of the draws lives in a register.

function addFactor(
  means: Float64Array,
  table: Float64Array,
  scale: number,
  step: number,
  from: number,
): void {
  let state = from | 0;
  const stride = step | 0;
  for (let path = 0; path < PATHS; path++) {
    means[path] = (means[path] ?? 0) + scale * (table[state >>> SHIFT] ?? 0);
    state = (state + stride) | 0;
  }
}

function multiplyFactor(means: Float64Array, table: Float64Array, step: number, from: number): void {
  let state = from | 0;
  const stride = step | 0;
  for (let path = 0; path < PATHS; path++) {
    means[path] = (means[path] ?? 0) * (table[state >>> SHIFT] ?? 0);
    state = (state + stride) | 0;
  }
}

/** Where the lattice begins in a dimension: 32 well mixed bits. */
function start(seed: number, dimension: number): number {
  let h = Math.imul((seed | 0) ^ Math.imul(dimension + 1, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}
