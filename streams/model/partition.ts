export interface BucketBounds {
  readonly lo: number | null;
  readonly hi: number | null;
}

/** Whether ranges (bounds inclusive, ascending, `hi` null for open) cover each count 0, 1, 2, … exactly once. */
export function isPartition(ranges: readonly BucketBounds[]): boolean {
  let next: number | null = 0;
  for (const { lo, hi } of ranges) {
    if (next === null || lo !== next) return false;
    if (hi !== null && hi < lo) return false;
    next = hi === null ? null : hi + 1;
  }
  return ranges.length > 0 && next === null;
}
