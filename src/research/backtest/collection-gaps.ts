import { DAY_MS, type Gap } from '../../../streams/internal.ts';
import { readNumbers } from './csv.ts';

/** A silence this long is taken for a gap in the collection. */
const GAP_MS = 7 * DAY_MS;

/** Silences of seven days or more between posts, ascending. */
export function gapsIn(postTimes: ArrayLike<number>): Gap[] {
  const gaps: Gap[] = [];
  for (let index = 1; index < postTimes.length; index++) {
    const fromAt = postTimes[index - 1] ?? 0;
    const toAt = postTimes[index] ?? 0;
    if (toAt - fromAt >= GAP_MS) gaps.push({ fromAt, toAt });
  }
  return gaps;
}

/** Gaps from a file with the columns from_ts and to_ts. */
export async function readGaps(path: string): Promise<Gap[]> {
  const rows = await readNumbers(path, { required: ['from_ts', 'to_ts'] });
  return rows.map(([fromAt, toAt]) => ({ fromAt: fromAt ?? 0, toAt: toAt ?? 0 }));
}

/** The gaps that were known at `now`: one that had not lasted seven days yet was still a silence. */
export function gapsKnownAt(gaps: readonly Gap[], now: number): Gap[] {
  return gaps.filter(({ fromAt, toAt }) => toAt <= now || now - fromAt >= GAP_MS);
}
