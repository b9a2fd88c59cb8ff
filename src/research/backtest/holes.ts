import type { Gap } from '../../../streams/index.ts';

/** A silence this long is taken for a hole in what was collected, not for silence. */
const HOLE_MS = 5 * 86_400_000;

/** Silences of five days or more between posts, ascending. */
export function holesIn(postTimes: ArrayLike<number>): Gap[] {
  const holes: Gap[] = [];
  for (let index = 1; index < postTimes.length; index++) {
    const fromAt = postTimes[index - 1] ?? 0;
    const toAt = postTimes[index] ?? 0;
    if (toAt - fromAt >= HOLE_MS) holes.push({ fromAt, toAt });
  }
  return holes;
}

/** The holes as they could be told at `now`: one that has not lasted five days yet is still silence. */
export function holesKnownAt(holes: readonly Gap[], now: number): Gap[] {
  return holes.filter(({ fromAt }) => now - fromAt >= HOLE_MS);
}
