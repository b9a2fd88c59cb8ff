import { exp, ln } from './forecast/exact.ts';

/** Probabilities of the whole numbers from `least` on. They add up to 1. Plain JSON. */
export interface Pmf {
  readonly least: number;
  readonly probs: readonly number[];
}

/** Probabilities below this are left out of sums and products of many. */
const NEGLIGIBLE = 1e-12;

export function certainly(value: number): Pmf {
  return { least: value, probs: [1] };
}

/** Every number from 0 to `most`, each with the same probability; those above `shown` are left out. */
export function anyOf(most: number, shown: number): Pmf {
  return { least: 0, probs: new Array<number>(Math.min(most, shown) + 1).fill(1 / (most + 1)) };
}

/** The distribution of how many of independent events happen; event i with probability `chances[i]`. */
export function countOf(chances: Iterable<number>): Pmf {
  const probs = [1];
  for (const chance of chances) {
    probs.push(0);
    for (let k = probs.length - 1; k >= 0; k--) {
      probs[k] = (probs[k] ?? 0) * (1 - chance) + (probs[k - 1] ?? 0) * chance;
    }
    while (probs.length > 1 && (probs.at(-1) ?? 0) < NEGLIGIBLE) probs.pop();
  }
  return { least: 0, probs };
}

/**
 * A negative binomial count: variance mean + mean^2 / size. It has at least `length` probabilities, and as many more as
 * are not negligible.
 */
export function negativeBinomial(mean: number, size: number, length = 1): Pmf {
  const ratio = mean / (size + mean);
  const probs: number[] = [];
  let prob = exp(size * ln(size / (size + mean)));
  // Past its mode the distribution only falls.
  for (let k = 0; k < length || k <= mean || prob >= NEGLIGIBLE; k++) {
    probs.push(prob);
    prob *= ((k + size) / (k + 1)) * ratio;
  }
  return { least: 0, probs };
}

export function plus(a: Pmf, b: Pmf): Pmf {
  const probs = new Array<number>(a.probs.length + b.probs.length - 1).fill(0);
  a.probs.forEach((probA, i) => {
    if (probA === 0) return;
    b.probs.forEach((probB, j) => {
      probs[i + j] = (probs[i + j] ?? 0) + probA * probB;
    });
  });
  return { least: a.least + b.least, probs };
}

/** How many are left of a number from 0 on, when each of them is left with probability `share`. */
export function thinned({ probs }: Pmf, share: number): Pmf {
  const left = new Array<number>(probs.length).fill(0);
  probs.toReversed().forEach((prob, most) => {
    for (let k = most; k >= 0; k--) left[k] = (left[k] ?? 0) * (1 - share) + (left[k - 1] ?? 0) * share;
    left[0] = (left[0] ?? 0) + prob;
  });
  return { least: 0, probs: left };
}

export function negated({ least, probs }: Pmf): Pmf {
  return { least: 1 - least - probs.length, probs: probs.toReversed() };
}

export function shifted({ least, probs }: Pmf, by: number): Pmf {
  return { least: least + by, probs };
}

/** The same distribution with everything below `floor` moved up to it. */
export function atLeast(pmf: Pmf, floor: number): Pmf {
  const { least, probs } = pmf;
  if (least >= floor) return pmf;
  const below = probs.slice(0, floor - least).reduce((sum, prob) => sum + prob, 0);
  const [first = 0, ...others] = probs.slice(floor - least);
  return { least: floor, probs: [below + first, ...others] };
}

export function probabilityOf({ least, probs }: Pmf, value: number): number {
  return probs[value - least] ?? 0;
}

/** P(value <= `value`). */
export function probabilityTo({ least, probs }: Pmf, value: number): number {
  return probs.slice(0, Math.max(0, value - least + 1)).reduce((sum, prob) => sum + prob, 0);
}

/** The least value that is not exceeded with probability `level`. */
export function pmfQuantile({ least, probs }: Pmf, level: number): number {
  let sum = 0;
  const index = probs.findIndex((prob) => {
    sum += prob;
    return sum >= level;
  });
  return least + (index === -1 ? probs.length - 1 : index);
}

export function pmfMean({ least, probs }: Pmf): number {
  return probs.reduce((sum, prob, index) => sum + prob * (least + index), 0);
}

/** Continuous ranked probability score: 0 is perfect, and a bare number scores its distance. */
export function pmfCrps(pmf: Pmf, actual: number): number {
  const { least, probs } = pmf;
  const end = Math.max(actual, least + probs.length);
  let below = 0;
  let score = 0;
  for (let value = Math.min(actual, least); value < end; value++) {
    below += probabilityOf(pmf, value);
    const distance = below - (value >= actual ? 1 : 0);
    score += distance * distance;
  }
  return score;
}

/** Scaled to add up to 1, without negligible values at its upper end, or null when there is nothing to scale. */
export function normalised({ least, probs }: Pmf): Pmf | null {
  const sum = probs.reduce((all, prob) => all + prob, 0);
  if (!(sum > 0) || !Number.isFinite(sum)) return null;
  const last = probs.findLastIndex((prob) => prob >= NEGLIGIBLE * sum);
  return { least, probs: probs.slice(0, last + 1).map((prob) => prob / sum) };
}

/**
 * The same in whole units of 1 / `units`, without zeros at the ends. The likeliest value takes the rounding error, so
 * that they still add up to 1.
 */
export function roundedPmf({ least, probs }: Pmf, units: number): Pmf {
  const whole = probs.map((prob) => Math.round(prob * units));
  const likeliest = whole.indexOf(Math.max(...whole));
  const missing = units - whole.reduce((sum, unit) => sum + unit, 0);
  const first = whole.findIndex((unit) => unit > 0);
  const last = whole.findLastIndex((unit) => unit > 0);
  return {
    least: least + first,
    probs: whole
      .map((unit, index) => (index === likeliest ? unit + missing : unit) / units)
      .slice(first, last + 1),
  };
}
