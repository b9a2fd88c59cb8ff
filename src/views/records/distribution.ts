/**
 * Quantiles at 0 %, 1 %, ... 100 % as counts with their share of the probability: a level stands for the half
 * percent around it, and levels on the same count are one. No count lies below `least`.
 */
export function distributionToWire(quantiles: readonly number[], least: number) {
  // In half percents, which add up without error.
  const shares = new Map<number, number>();
  const last = quantiles.length - 1;
  quantiles.forEach((quantile, level) => {
    const count = Math.max(least, quantile);
    shares.set(count, (shares.get(count) ?? 0) + (level === 0 || level === last ? 1 : 2));
  });
  return Array.from(shares, ([count, share]) => ({ count, prob: share / (2 * last) }));
}
