/** A span of time on a chart, in seconds. */
export type Span = readonly [number, number];

/** Less than this shows nothing that the whole did not. */
const LEAST_SECONDS = 60;

/** Half of a span, around `centre` as far as the whole reaches. */
export function zoomedIn([from, to]: Span, [least, most]: Span, centre = (from + to) / 2): Span {
  const length = Math.max(LEAST_SECONDS, (to - from) / 2);
  if (length >= most - least) return [least, most];
  const start = Math.min(most - length, Math.max(least, centre - length / 2));
  return [start, start + length];
}

/** The span between two places that were dragged over; undefined when that is too short to be meant. */
export function draggedOver(from: number, to: number): Span | undefined {
  return to - from < LEAST_SECONDS ? undefined : [from, to];
}
