import { median } from '../../streams/internal.ts';

interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** How fast values grow in an hour, and the range in which that lies with 95 % confidence. */
export interface Slope {
  readonly perHour: number;
  readonly low: number;
  readonly high: number;
}

const HOUR_MS = 3_600_000;
/** Neighbouring points depend on each other, as garbage is collected every few of them; parts this large hardly do. */
const PARTS = 10;
/** Half the width of a normal distribution that has 95 % of it. */
const Z_95 = 1.96;

/**
 * The median of the slopes between all pairs (Theil-Sen) of the medians of ten successive parts, and the range of Sen, which
 * needs no particular distribution. The range is unbounded with few points; undefined with fewer than two instants.
 */
export function slopePerHour(points: readonly Point[]): Slope | undefined {
  const parts = mediansOf(points);
  const slopes = parts
    .flatMap((from, index) =>
      parts
        .slice(index + 1)
        .filter((to) => to.atMs !== from.atMs)
        .map((to) => ((to.value - from.value) / (to.atMs - from.atMs)) * HOUR_MS),
    )
    .sort((a, b) => a - b);
  const perHour = median(slopes);
  if (perHour === undefined || perHour === null) return undefined;
  const n = parts.length;
  const spread = Z_95 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const below = Math.floor((slopes.length - spread) / 2);
  return {
    perHour,
    low: slopes[below - 1] ?? Number.NEGATIVE_INFINITY,
    high: slopes[slopes.length - below] ?? Number.POSITIVE_INFINITY,
  };
}

function mediansOf(points: readonly Point[]): readonly Point[] {
  const count = Math.min(PARTS, points.length);
  return Array.from({ length: count }, (_, part) => {
    const from = Math.floor((part * points.length) / count);
    const members = points.slice(from, Math.floor(((part + 1) * points.length) / count));
    const middle = (values: readonly number[]) => median([...values].sort((a, b) => a - b)) ?? Number.NaN;
    return {
      atMs: middle(members.map(({ atMs }) => atMs)),
      value: middle(members.map(({ value }) => value)),
    };
  });
}
