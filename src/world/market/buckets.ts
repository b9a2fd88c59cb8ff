import type { Account } from '../life/accounts.ts';
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

type Shapes = Readonly<Record<SeriesKind, readonly BucketShape[]>>;

const WEEK_A = tile(240, [[40, 30]], 'below');
const WEEK_B = tile(30, [[30, 13]], 'from-zero');

/** The buckets of A and B, by their places. */
const KNOWN_SHAPES: readonly Shapes[] = [
  {
    'week-tuesday': WEEK_A,
    'week-friday': WEEK_A,
    'two-days': tile(100, [[25, 14]], 'below'),
    month: tile(
      1600,
      [
        [80, 26],
        [120, 16],
      ],
      'below',
    ),
  },
  {
    'week-tuesday': WEEK_B,
    'week-friday': WEEK_B,
    'two-days': tile(20, [[10, 10]], 'below'),
    month: tile(
      400,
      [
        [20, 12],
        [40, 14],
      ],
      'from-zero',
    ),
  },
];

const DAYS: Readonly<Record<SeriesKind, number>> = {
  'week-tuesday': 7,
  'week-friday': 7,
  'two-days': 2,
  month: 30.4,
};
/** The expected count is in the middle of those of one width, between the lowest and the open one. */
const BUCKETS = 10;
const ROUND_WIDTHS = [
  1, 2, 3, 4, 5, 8, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 250, 300, 400,
] as const;

function shapesFor(countedPerDay: number, kind: SeriesKind, count: number): readonly BucketShape[] {
  const wanted = (2 * countedPerDay * DAYS[kind]) / count;
  const width = ROUND_WIDTHS.find((each) => each >= wanted) ?? Math.ceil(wanted / 100) * 100;
  return tile(width, [[width, count - 2]], 'from-zero');
}

/** The buckets of a series, lowest first: so many, or as many as on the market. */
export function bucketsOf(
  { index, countedPerDay }: Account,
  kind: SeriesKind,
  count?: number,
): readonly BucketShape[] {
  if (count !== undefined) return shapesFor(countedPerDay, kind, count);
  return KNOWN_SHAPES[index]?.[kind] ?? shapesFor(countedPerDay, kind, BUCKETS);
}
