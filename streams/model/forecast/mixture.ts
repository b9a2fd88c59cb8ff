import { exp, ln } from './exact.ts';
import { lgamma } from './gamma-function.ts';

/** Nodes of the grid of Poisson means per unit of their square root: ten to a standard deviation of two. */
const NODES = 10;
/** A Poisson count lies outside these many standard deviations with a probability below 1e-14. */
const REACH = 8;

/**
 * The distribution of a count whose Poisson mean is one of `means`, all alike: element k is P(count <= k), and the
 * last one is 1. The means are first gathered on a grid so fine, measured by the Poisson noise, that it does not
 * show: each is split between its two neighbours in proportion, which keeps its expectation.
 */
export function poissonMixture(means: Float64Array): Float64Array {
  const weights = gather(means);
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

function gather(means: Float64Array): Float64Array {
  let highest = 0;
  for (let path = 0; path < means.length; path++) highest = Math.max(highest, means[path] ?? 0);
  const weights = new Float64Array(Math.floor(NODES * Math.sqrt(highest)) + 2);
  const share = 1 / means.length;
  const square = NODES * NODES;
  for (let path = 0; path < means.length; path++) {
    const mean = means[path] ?? 0;
    const node = Math.floor(NODES * Math.sqrt(mean));
    const upper = ((mean * square - node * node) / (2 * node + 1)) * share;
    weights[node] = (weights[node] ?? 0) + share - upper;
    weights[node + 1] = (weights[node + 1] ?? 0) + upper;
  }
  return weights;
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
