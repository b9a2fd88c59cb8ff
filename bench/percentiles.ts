import { median as medianOf, percentile } from '../streams/internal.ts';

/** The value at a rank of 0 to 100, of values in any order; NaN without values. */
export function rankOf(values: readonly number[], rank: number): number {
  return (
    percentile(
      values.toSorted((a, b) => a - b),
      rank,
    ) ?? Number.NaN
  );
}

export function median(values: readonly number[]): number {
  return medianOf(values.toSorted((a, b) => a - b)) ?? Number.NaN;
}
