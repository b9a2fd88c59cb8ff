/**
 * Two forecasts of the same buckets as one: the geometric mean of their probabilities, each with weight one half, normalised.
 * The weight is fixed, as one that is fitted to the past jumps from one of them to the other. Null where they exclude one
 * another. A square root is exact, so the digits are the same on every machine.
 */
export function logPool(one: ArrayLike<number>, other: ArrayLike<number>): number[] | null {
  const means = Array.from(one, (prob, index) => Math.sqrt(prob * (other[index] ?? 0)));
  const sum = means.reduce((total, mean) => total + mean, 0);
  return sum > 0 ? means.map((mean) => mean / sum) : null;
}
