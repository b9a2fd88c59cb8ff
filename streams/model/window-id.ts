/** What a forecast is about: a window, and the buckets in which the final count may fall. */
interface CountedWindow {
  readonly startAt: number | null;
  readonly endAt: number;
  /** Tile the counts, so their lower bounds identify them; empty when the listed buckets do not. */
  readonly ranges: readonly { readonly lo: number }[];
}

/** Tells windows of one event apart: a forecast of one says nothing about another. */
export function windowId({ startAt, endAt, ranges }: CountedWindow): string {
  return `${startAt}/${endAt}/${ranges.map(({ lo }) => lo).join()}`;
}
