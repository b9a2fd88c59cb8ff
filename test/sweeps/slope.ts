import { median } from '../../streams/internal.ts';

interface Point {
  readonly atMs: number;
  readonly value: number;
}

const HOUR_MS = 3_600_000;

/**
 * How fast the values grow in an hour: the median of the slopes between all pairs (Theil-Sen), which a quarter of the
 * points cannot move, however wrong they are. Undefined with fewer than two instants.
 */
export function slopePerHour(points: readonly Point[]): number | undefined {
  const slopes = points.flatMap((from, index) =>
    points
      .slice(index + 1)
      .filter((to) => to.atMs !== from.atMs)
      .map((to) => ((to.value - from.value) / (to.atMs - from.atMs)) * HOUR_MS),
  );
  return median(slopes.sort((a, b) => a - b)) ?? undefined;
}
