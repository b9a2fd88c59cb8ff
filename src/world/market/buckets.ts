import type { WorldAccountId } from '../life/accounts.ts';
import type { SeriesKind } from './event-series.ts';

/** A range of counts, both ends included; `hi` null is open. */
export interface BucketShape {
  readonly title: string;
  readonly slugSuffix: string;
  readonly lo: number;
  readonly hi: number | null;
}

/** Buckets that tile 0 to infinity: the first up to `first`, then runs of equal widths, then the open one. */
export function tile(
  first: number,
  runs: readonly (readonly [width: number, count: number])[],
  style: 'below' | 'from-zero',
): readonly BucketShape[] {
  const head = { title: style === 'below' ? `<${first}` : `0-${first - 1}`, slugSuffix: `0-${first - 1}` };
  const shapes: BucketShape[] = [{ ...head, lo: 0, hi: first - 1 }];
  let lo = first;
  for (const [width, count] of runs) {
    for (let index = 0; index < count; index++, lo += width) {
      const title = `${lo}-${lo + width - 1}`;
      shapes.push({ title, slugSuffix: title, lo, hi: lo + width - 1 });
    }
  }
  shapes.push({ title: `${lo}+`, slugSuffix: `${lo}plus`, lo, hi: null });
  return shapes;
}

const WEEK_A = tile(40, [[40, 24]], 'from-zero');
const WEEK_B = tile(30, [[30, 9]], 'from-zero');

const SHAPES: Readonly<Record<WorldAccountId, Readonly<Record<SeriesKind, readonly BucketShape[]>>>> = {
  a: {
    'week-tuesday': WEEK_A,
    'week-friday': WEEK_A,
    'two-days': tile(140, [[25, 8]], 'below'),
    month: tile(
      2000,
      [
        [60, 24],
        [80, 20],
      ],
      'below',
    ),
  },
  b: {
    'week-tuesday': WEEK_B,
    'week-friday': WEEK_B,
    'two-days': tile(20, [[10, 8]], 'below'),
    month: tile(
      400,
      [
        [20, 12],
        [40, 12],
      ],
      'from-zero',
    ),
  },
};

/** The buckets of a series, lowest first. */
export function bucketsOf(account: WorldAccountId, kind: SeriesKind): readonly BucketShape[] {
  return SHAPES[account][kind];
}
