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

/** The equally likely values that the factors of a forecast are drawn from. */
export interface FactorTables {
  readonly level: Float64Array;
  readonly day: Float64Array;
}

export function tablesOf(inputs: ForecastInputs): FactorTables {
  const { level, day } = spreadOf(inputs);
  return { level: gammaTable(level), day: day === DAY_VARIANCE ? DAY_TABLE : gammaTable(day) };
}

/**
 * The expected remainder of each path: mean times a level factor times the days' factors, weighed by their shares.
 * The draws are the points of a lattice moved by the seed, one dimension for the level and one for each day before
 * the end. So a seed fixes which quantile every path has of every factor, and a forecast moves only as its inputs do.
 * Memory that is given is used again: fresh pages cost as much as the draws.
 */
export function pathMeans(
  { mean, shares }: ForecastInputs,
  tables: FactorTables,
  seed: number,
  means = new Float64Array(PATHS),
): Float64Array {
  means.fill(0);
  let generator = 1;
  for (let first = 0; first < shares.length; first += 4) {
    const days = [0, 1, 2, 3].map((offset): Dimension => {
      const day = first + offset;
      generator = Math.imul(generator, GENERATOR) & (PATHS - 1);
      return { scale: mean * (shares[day] ?? 0), step: (generator * STRIDE) | 0, from: start(seed, day + 1) };
    });
    addFactors(means, tables.day, days);
  }
  multiplyFactor(means, tables.level, STRIDE, start(seed, 0));
  return means;
}

/** Of the lattice: path k has the value `from + k * step`, of which the upper bits pick a factor. */
interface Dimension {
  readonly scale: number;
  readonly step: number;
  readonly from: number;
}

const NOWHERE: Dimension = { scale: 0, step: 0, from: 0 };

/** Four dimensions at a time, their state in locals: half the time of one after the other. */
function addFactors(means: Float64Array, table: Float64Array, days: readonly Dimension[]): void {
  const [a = NOWHERE, b = NOWHERE, c = NOWHERE, d = NOWHERE] = days;
  const stepA = a.step | 0;
  const fromA = a.from | 0;
  const scaleA = +a.scale;
  const stepB = b.step | 0;
  const fromB = b.from | 0;
  const scaleB = +b.scale;
  const stepC = c.step | 0;
  const fromC = c.from | 0;
  const scaleC = +c.scale;
  const stepD = d.step | 0;
  const fromD = d.from | 0;
  const scaleD = +d.scale;
  for (let path = 0; path < PATHS; path++) {
    // A product with a whole number stays one for the compiler; a running sum would be taken for a fraction.
    const factorA = table[(Math.imul(path, stepA) + fromA) >>> SHIFT] ?? 0;
    const factorB = table[(Math.imul(path, stepB) + fromB) >>> SHIFT] ?? 0;
    const factorC = table[(Math.imul(path, stepC) + fromC) >>> SHIFT] ?? 0;
    const factorD = table[(Math.imul(path, stepD) + fromD) >>> SHIFT] ?? 0;
    means[path] =
      (means[path] ?? 0) + scaleA * factorA + scaleB * factorB + scaleC * factorC + scaleD * factorD;
  }
}

function multiplyFactor(means: Float64Array, table: Float64Array, step: number, from: number): void {
  const stride = step | 0;
  const first = from | 0;
  for (let path = 0; path < PATHS; path++) {
    means[path] = (means[path] ?? 0) * (table[(Math.imul(path, stride) + first) >>> SHIFT] ?? 0);
  }
}

/** Where the lattice begins in a dimension: 32 well mixed bits. */
function start(seed: number, dimension: number): number {
  let h = Math.imul((seed | 0) ^ Math.imul(dimension + 1, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}
