import type { BucketBounds } from './partition.ts';

/**
 * How deep a count falls into a bucket (bounds inclusive): 1 at its centre, 0 at its edges and outside. `neighbour`
 * lends its width to an open-ended bucket, which has one edge only: past its centre the count is as deep as it gets.
 * Null for a bucket without a lower bound.
 */
export function moneyness(count: number, { lo, hi }: BucketBounds, neighbour?: BucketBounds): number | null {
  if (lo === null) return null;
  if (hi === null) {
    const half = widthOf(neighbour) / 2;
    if (half === 0) return count >= lo ? 1 : 0;
    return Math.min(1, Math.max(0, (count - lo) / half));
  }
  // A bucket of a single count is all centre.
  if (hi === lo) return count === lo ? 1 : 0;
  const half = (hi - lo) / 2;
  return Math.max(0, 1 - Math.abs(count - lo - half) / half);
}

function widthOf(range: BucketBounds | undefined): number {
  if (range === undefined || range.lo === null || range.hi === null) return 0;
  return range.hi - range.lo;
}
