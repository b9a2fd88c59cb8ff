/** Nearest-rank percentile of an ascending list, or null when it is empty. */
export function percentile(ascending: readonly number[], rank: number): number | null {
  return ascending[Math.max(0, Math.ceil((rank * ascending.length) / 100) - 1)] ?? null;
}
