export interface Point {
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
  return median(slopes);
}

export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}
