import { exp, ln } from './exact.ts';
import { lgamma } from './gamma-function.ts';

/** Nodes of the grid of Poisson means per unit of their square root, twice a standard deviation of the noise. */
const NODES = 10;
/** A Poisson count lies outside these many standard deviations with a probability below 1e-14. */
const REACH = 8;

/** Enough nodes for means of 160,000 posts; larger means are ignored. */
const MAX_NODES = 4_002;
const BLOCK = 1_024;

/**
 * Creates a function that puts equally likely Poisson means on a grid and returns the share of the means at each node.
 * Each mean is split between its two neighbours so that its expectation stays the same. The grid is so fine, compared
 * with the Poisson noise, that it does not affect the result.
 */
export function createGather(): (means: Float64Array) => Float64Array {
  // Between calls all counts and sums are 0.
  const counts = new Float64Array(MAX_NODES);
  const sums = new Float64Array(MAX_NODES);
  const weights = new Float64Array(MAX_NODES);
  const block = new Float64Array(BLOCK);

  /** Counts and sums the means of the block by the node below them. */
  function tallyBlock(length: number): void {
    for (let path = 0; path < length; path++) {
      const mean = block[path] ?? 0;
      const node = (10 * Math.sqrt(mean)) | 0;
      counts[node] = (counts[node] ?? 0) + 1;
      sums[node] = (sums[node] ?? 0) + mean;
    }
  }

  return (means) => {
    const { length } = means;
    for (let from = 0; from < length; from += BLOCK) {
      const part = means.subarray(from, from + BLOCK);
      block.set(part);
      tallyBlock(part.length);
    }
    // The split is linear in the mean, so it may be done for all means of a cell at once.
    let node = 0;
    let carried = 0;
    for (let seen = 0; seen < length && node < MAX_NODES - 1; node++) {
      const count = counts[node] ?? 0;
      const upper = upperShare(node, count, sums[node] ?? 0);
      weights[node] = carried + (count - upper) / length;
      carried = upper / length;
      counts[node] = 0;
      sums[node] = 0;
      seen += count;
    }
    weights[node] = carried;
    return weights.slice(0, node + 1);
  };
}

/** The weights of a single mean, as `createGather` would give them. */
export function gatherOne(mean: number): Float64Array {
  const node = (10 * Math.sqrt(mean)) | 0;
  const weights = new Float64Array(node + 2);
  const upper = upperShare(node, 1, mean);
  weights[node] = 1 - upper;
  weights[node + 1] = upper;
  return weights;
}

/** Of `count` means between a node and the next one, how much goes to the next. */
function upperShare(node: number, count: number, sum: number): number {
  return (sum * NODES * NODES - count * node * node) / (2 * node + 1);
}

/**
 * The distribution of a count whose Poisson mean has these weights on the grid: element k is P(count <= k), and the
 * last one is 1.
 */
export function poissonMixture(weights: Float64Array): Float64Array {
  const top = (weights.length - 1) / NODES;
  const cumulated = new Float64Array(Math.ceil(top * top + REACH * (top + REACH)) + 1);
  for (let node = 0; node < weights.length; node++) {
    const weight = weights[node] ?? 0;
    if (weight > 0) addPoisson(cumulated, (node / NODES) * (node / NODES), weight);
  }
  let sum = 0;
  for (let count = 0; count < cumulated.length; count++) {
    sum += cumulated[count] ?? 0;
    cumulated[count] = sum;
  }
  for (let count = 0; count < cumulated.length; count++) cumulated[count] = (cumulated[count] ?? 0) / sum;
  return cumulated;
}

/** Adds a weighted Poisson pmf, from its mode outwards. */
function addPoisson(pmf: Float64Array, mean: number, weight: number): void {
  const mode = Math.floor(mean);
  const peak = mean === 0 ? weight : weight * exp(mode * ln(mean) - mean - lgamma(mode + 1));
  const reach = REACH * (Math.sqrt(mean) + REACH / 2);
  const low = Math.max(0, Math.ceil(mean - reach));
  const high = Math.min(pmf.length - 1, Math.floor(mean + reach));
  let probability = peak;
  for (let count = mode; count <= high; ) {
    pmf[count] = (pmf[count] ?? 0) + probability;
    count += 1;
    probability *= mean / count;
  }
  probability = peak;
  for (let count = mode; count > low; ) {
    probability *= count / mean;
    count -= 1;
    pmf[count] = (pmf[count] ?? 0) + probability;
  }
}
