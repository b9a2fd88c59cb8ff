import type { BucketBounds } from './partition.ts';

/**
 * How near a count is to the centre of a bucket (bounds inclusive): 1 at the centre, 0 at the edges and outside. An
 * open-ended bucket is taken to be as wide as its `neighbour`, and is 1 from its centre on. Null for a bucket without a
 * lower bound.
 */
export function moneyness(count: number, { lo, hi }: BucketBounds, neighbour?: BucketBounds): number | null {
  if (lo === null) return null;
  if (hi === null) {
    const half = widthOf(neighbour) / 2;
    if (half === 0) return count >= lo ? 1 : 0;
    return Math.min(1, Math.max(0, (count - lo) / half));
  }
  if (hi === lo) return count === lo ? 1 : 0;
  const half = (hi - lo) / 2;
  return Math.max(0, 1 - Math.abs(count - lo - half) / half);
}

function widthOf(range: BucketBounds | undefined): number {
  if (range === undefined || range.lo === null || range.hi === null) return 0;
  return range.hi - range.lo;
}
