/**
 * Quantiles at 0 %, 1 %, ... 100 % as counts with probabilities: a level stands for half a percent on either side, and
 * levels with the same count are added. Counts below `least` are raised to it.
 */
export function distributionToWire(quantiles: readonly number[], least: number) {
  // In half percents, which add up without rounding errors.
  const shares = new Map<number, number>();
  const last = quantiles.length - 1;
  quantiles.forEach((quantile, level) => {
    const count = Math.max(least, quantile);
    shares.set(count, (shares.get(count) ?? 0) + (level === 0 || level === last ? 1 : 2));
  });
  return Array.from(shares, ([count, share]) => ({ count, prob: share / (2 * last) }));
}
