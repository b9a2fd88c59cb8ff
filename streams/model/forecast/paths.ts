import { ENTRIES, gammaTable } from './gamma-table.ts';
import type { ForecastInputs } from './inputs.ts';

/** A lattice needs a power of two: 2^15. The loops use it and the 2^12 entries of a table as literals. */
export const PATHS = 32_768;
/** Generators of the lattices of paths and days, found by a search for low error. */
const EVEN_STEP = 31_643;
const ODD_STEP = 21_473;
const DAY_GENERATOR = 2_305;

/** Relative variance of a single day around the level of its path (MODEL 3, simulation). */
const DAY_VARIANCE = 0.2;
/** The level keeps at least this share of the dispersion. */
const MIN_LEVEL_SHARE = 0.15;
const DAY_TABLE = gammaTable(DAY_VARIANCE);

/** How the dispersion is split between the level of a path and its days. */
interface Spread {
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

/** The equally likely values of the factors of a forecast. */
interface FactorTables {
  readonly level: Float64Array;
  readonly day: Float64Array;
}

export function tablesOf(inputs: ForecastInputs): FactorTables {
  const { level, day } = spreadOf(inputs);
  return { level: gammaTable(level), day: day === DAY_VARIANCE ? DAY_TABLE : gammaTable(day) };
}

/** Steps of a loop. A short function that is called often is compiled as a whole, a long loop only halfway through. */
const BLOCK = 256;

/** A dimension of the lattice of days, and the weight of its factors. */
interface Day {
  readonly scale: number;
  readonly step: number;
  readonly start: number;
}

/** Creates the function that draws paths. Its loops use captured buffers, which is twice as fast as arguments. */
export function createPathMeans(): (
  inputs: ForecastInputs,
  tables: FactorTables,
  seed: number,
) => Float64Array {
  const means = new Float64Array(PATHS);
  const dayFactors = new Float64Array(ENTRIES);
  const levelFactors = new Float64Array(ENTRIES);
  /** Sums of day factors: first the possible courses of the even days, then those of the odd days. */
  const courses = new Float64Array(2 * ENTRIES);

  /** Adds the factors of two days to a block of the courses. */
  function addDays(from: number, first: Day, second: Day): void {
    const { scale: scaleA, step: stepA, start: startA } = first;
    const { scale: scaleB, step: stepB, start: startB } = second;
    for (let course = from; course < from + BLOCK; course++) {
      const factorA = dayFactors[(Math.imul(course, stepA) + startA) & 4_095] ?? 0;
      const factorB = dayFactors[(Math.imul(course, stepB) + startB) & 4_095] ?? 0;
      courses[course] = (courses[course] ?? 0) + (scaleA * factorA + scaleB * factorB);
    }
  }

  /** Draws a block of paths, four to a level. */
  function multiply(from: number, startLevel: number, startEven: number, startOdd: number): void {
    for (let path = from; path < from + BLOCK; path += 4) {
      const level = levelFactors[((path + startLevel) & 32_767) >>> 3] ?? 0;
      means[path] = level * days(path, startEven, startOdd);
      means[path + 1] = level * days(path + 1, startEven, startOdd);
      means[path + 2] = level * days(path + 2, startEven, startOdd);
      means[path + 3] = level * days(path + 3, startEven, startOdd);
    }
  }

  /** The days of a path: the upper 12 of the 15 bits of a coordinate pick the course. */
  function days(path: number, startEven: number, startOdd: number): number {
    const even = courses[((Math.imul(path, EVEN_STEP) + startEven) & 32_767) >>> 3] ?? 0;
    const odd = courses[(((Math.imul(path, ODD_STEP) + startOdd) & 32_767) >>> 3) + 4_096] ?? 0;
    return even + odd;
  }

  /**
   * The expected remainder of each path: mean times a level factor times the sum of the days' factors, weighted by their
   * shares. The even days together take one of 4096 courses, and so do the odd days: the points of a lattice with one
   * dimension per day. A path is a point of a lattice whose dimensions are the level and these two. The seed shifts all
   * lattices, and so fixes the quantile of every factor on every path: a forecast changes only with its inputs. The
   * result is valid until the next call.
   */
  return ({ mean, shares }, tables, seed) => {
    dayFactors.set(tables.day);
    levelFactors.set(tables.level);
    courses.fill(0);
    for (let half = 0; half < 2; half++) {
      let step = 1;
      for (let day = half; day < shares.length; day += 4) {
        const first = { scale: mean * (shares[day] ?? 0), step, start: shift(seed, day + 3) };
        step = (step * DAY_GENERATOR) % ENTRIES;
        const second = { scale: mean * (shares[day + 2] ?? 0), step, start: shift(seed, day + 5) };
        step = (step * DAY_GENERATOR) % ENTRIES;
        for (let from = 0; from < ENTRIES; from += BLOCK) addDays(half * ENTRIES + from, first, second);
      }
    }
    const [level, even, odd] = [shift(seed, 0), shift(seed, 1), shift(seed, 2)];
    for (let from = 0; from < PATHS; from += BLOCK) multiply(from, level, even, odd);
    return means;
  };
}

/** The shift of a lattice in one dimension: 15 well mixed bits. */
function shift(seed: number, dimension: number): number {
  let h = Math.imul((seed | 0) ^ Math.imul(dimension + 1, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 17;
}
