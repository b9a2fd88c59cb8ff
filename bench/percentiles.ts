import { percentile } from '../streams/internal.ts';

/** The value at a rank of 0 to 100 in what was measured, in any order; NaN of nothing. */
export function rankOf(values: readonly number[], rank: number): number {
  return (
    percentile(
      values.toSorted((a, b) => a - b),
      rank,
    ) ?? Number.NaN
  );
}

export function median(values: readonly number[]): number {
  return rankOf(values, 50);
}
