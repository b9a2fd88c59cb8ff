/**
 * Two forecasts of the same buckets as one: the geometric mean of their probabilities, each with weight one half, normalised.
 * The weight is fixed, as one that is fitted to the past jumps from one of them to the other. Null where they exclude one
 * another. A square root is exact, so the digits are the same on every machine.
 */
export function logPool(one: ArrayLike<number>, other: ArrayLike<number>): number[] | null {
  const pool: number[] = [];
  let sum = 0;
  for (let index = 0; index < one.length; index++) {
    const mean = Math.sqrt((one[index] ?? 0) * (other[index] ?? 0));
    pool.push(mean);
    sum += mean;
  }
  // Nor is there one where a probability is none.
  if (!(sum > 0)) return null;
  for (let index = 0; index < pool.length; index++) pool[index] = (pool[index] ?? 0) / sum;
  return pool;
}
