import { exp } from './exact.ts';

/** The size of a table: 2^12, so that the upper 12 bits of a draw select an entry. */
export const ENTRIES = 4_096;
const GRID = 1_024;
/** Values where the density is below e^-30 of its peak are left out. */
const CUT = 30;

/**
 * Equally likely values of a Gamma variable with mean 1 and the given variance: the middle of each 4096th of its
 * distribution. They change smoothly with the variance, so that the same draw gives nearly the same value after a
 * small change.
 */
export function gammaTable(variance: number): Float64Array {
  const shape = 1 / variance;
  // Over y = ln x the density exp(shape (y - e^y)) is smooth, for small shapes too.
  const from = edge(shape, -1);
  const step = (edge(shape, 1) - from) / GRID;
  const growth = exp(step);
  const cumulated = new Float64Array(GRID + 1);
  let x = exp(from);
  let before = density(shape, from, x);
  let slopeBefore = before * shape * (1 - x);
  for (let index = 1; index <= GRID; index++) {
    x *= growth;
    const here = density(shape, from + index * step, x);
    const slope = here * shape * (1 - x);
    // The trapezoid with its first correction.
    const area = (step / 2) * (before + here) + ((step * step) / 12) * (slopeBefore - slope);
    cumulated[index] = (cumulated[index - 1] ?? 0) + Math.max(0, area);
    before = here;
    slopeBefore = slope;
  }
  return equallyLikelyValues(cumulated, from, step);
}

function density(shape: number, y: number, x: number): number {
  return exp(shape * (y - x + 1));
}

/** The y on one side of the peak at 0 where the density is e^-30 of it. */
function edge(shape: number, side: 1 | -1): number {
  const depth = (y: number) => shape * (exp(y) - 1 - y);
  let far: number = side;
  while (depth(far) < CUT) far *= 2;
  let near = 0;
  for (let round = 0; round < 40; round++) {
    const middle = (near + far) / 2;
    if (depth(middle) < CUT) near = middle;
    else far = middle;
  }
  return far;
}

function equallyLikelyValues(cumulated: Float64Array, from: number, step: number): Float64Array {
  const table = new Float64Array(ENTRIES);
  const total = cumulated[GRID] ?? 1;
  let cell = 1;
  let sum = 0;
  for (let entry = 0; entry < ENTRIES; entry++) {
    const wanted = ((entry + 0.5) / ENTRIES) * total;
    while (cell < GRID && (cumulated[cell] ?? 0) < wanted) cell += 1;
    const low = cumulated[cell - 1] ?? 0;
    const high = cumulated[cell] ?? 0;
    const part = high > low ? (wanted - low) / (high - low) : 0;
    const value = exp(from + (cell - 1 + part) * step);
    table[entry] = value;
    sum += value;
  }
  for (let entry = 0; entry < ENTRIES; entry++) table[entry] = ((table[entry] ?? 0) * ENTRIES) / sum;
  return table;
}
