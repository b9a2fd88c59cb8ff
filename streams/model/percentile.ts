/** Nearest-rank percentile of an ascending list, or null when it is empty. */
export function percentile(ascending: readonly number[], rank: number): number | null {
  return ascending[Math.max(0, Math.ceil((rank * ascending.length) / 100) - 1)] ?? null;
}

/** Median of an ascending list, the mean of the middle two when their number is even, or null when it is empty. */
export function median(ascending: readonly number[]): number | null {
  const middle = (ascending.length - 1) / 2;
  const low = ascending[Math.floor(middle)];
  const high = ascending[Math.ceil(middle)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
