import type { Store } from '../store/store.ts';
import type { LogPosition } from './log-position.ts';

interface LogEnd {
  readonly seq: number;
  /** UTC ms when it was received. */
  readonly at: number;
}

/** The first and the last observation of a log. */
interface LogRange {
  readonly first: LogEnd;
  readonly last: LogEnd;
}

/** Undefined while nothing was logged. */
export function logRange({ journal }: Pick<Store, 'journal'>): LogRange | undefined {
  const first = endAt(journal, Math.max(1, journal.tail));
  const last = endAt(journal, journal.head);
  return first && last && { first, last };
}

function endAt(journal: Store['journal'], from: number): LogEnd | undefined {
  for (const { seq, receivedAt } of journal.read(from)) return { seq, at: receivedAt };
  return undefined;
}

export function rangeText({ first, last }: LogRange): string {
  const text = ({ seq, at }: LogEnd) => `seq ${seq} (${new Date(at).toISOString()})`;
  return `the log has ${text(first)} to ${text(last)}`;
}

/** Whether the second is not after the first, as far as that can be said without the log. */
export function isEmptyRange(from: LogPosition | undefined, to: LogPosition | undefined): boolean {
  if (from?.by === 'seq' && to?.by === 'seq') return from.seq >= to.seq;
  return from?.by === 'time' && to?.by === 'time' && from.at >= to.at;
}

/** What of a range lies outside the log, as a sentence; undefined when nothing does. */
export function outsideLog(
  range: LogRange | undefined,
  from: LogPosition | undefined,
  to: LogPosition | undefined,
): string | undefined {
  if (range === undefined) return 'nothing was logged yet';
  const { first, last } = range;
  const isBefore = (position: LogPosition, { seq, at }: LogEnd) =>
    position.by === 'seq' ? position.seq < seq : position.at < at;
  const isAfter = (position: LogPosition, { seq, at }: LogEnd) =>
    position.by === 'seq' ? position.seq > seq : position.at > at;
  const text = rangeText(range);
  if (from !== undefined && isAfter(from, last)) return `the range begins after the log ends: ${text}`;
  if (to !== undefined && !isAfter(to, first)) return `the range ends before the log begins: ${text}`;
  // Whoever asks from the first seq on asks for all there is.
  const asksForAll = from?.by === 'seq' && from.seq <= 1;
  if (from === undefined || asksForAll || !isBefore(from, first)) return undefined;
  return `the range begins before the log does: ${text}`;
}
