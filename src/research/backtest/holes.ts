import type { Gap } from '../../../streams/internal.ts';
import { DAY_MS } from '../../../streams/internal.ts';
import { readNumbers } from './csv.ts';

/** A silence this long is taken for a hole in what was collected, not for silence. */
const HOLE_MS = 7 * DAY_MS;

/** Silences of seven days or more between posts, ascending. */
export function holesIn(postTimes: ArrayLike<number>): Gap[] {
  const holes: Gap[] = [];
  for (let index = 1; index < postTimes.length; index++) {
    const fromAt = postTimes[index - 1] ?? 0;
    const toAt = postTimes[index] ?? 0;
    if (toAt - fromAt >= HOLE_MS) holes.push({ fromAt, toAt });
  }
  return holes;
}

/** Holes told by a file with the columns from_ts and to_ts. */
export async function readHoles(path: string): Promise<Gap[]> {
  const rows = await readNumbers(path, { required: ['from_ts', 'to_ts'] });
  return rows.map(([fromAt, toAt]) => ({ fromAt: fromAt ?? 0, toAt: toAt ?? 0 }));
}

/** The holes as they could be told at `now`: a guessed one that has not lasted so long yet is still silence. */
export function holesKnownAt(holes: readonly Gap[], now: number): Gap[] {
  return holes.filter(({ fromAt, toAt }) => toAt <= now || now - fromAt >= HOLE_MS);
}
