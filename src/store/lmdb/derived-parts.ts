import type { OutputOf } from '../../../streams/internal.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';

/** The part of the store that follows from the latest outputs of a stream, which is also the row that its mark is in. */
const PARTS = { posts: 'timelines', events: 'eventHeads' } as const;
type Stream = keyof typeof PARTS;

/** What a part follows from. It is made again where that is not what is there. */
export interface DerivedMark {
  /** The number of rows of the history of the stream. */
  readonly historyRows: number;
  /** The number of rows of the part. */
  readonly rows: number;
}

export const NOTHING_DERIVED: DerivedMark = { historyRows: 0, rows: 0 };

/** As part of a batch, with each that changes outputs of the stream. */
export function putDerivedMark(
  { meta }: Pick<Environment, 'meta'>,
  stream: Stream,
  { historyRows, rows }: DerivedMark,
): void {
  void meta.put(PARTS[stream], `${historyRows} ${rows}`);
}

/**
 * The mark if the part follows from the outputs there are, else undefined: an older program writes outputs without it, and a
 * file may have lost rows of it.
 */
export function readDerivedMark(
  environment: Pick<Environment, 'meta' | (typeof PARTS)[Stream]>,
  stream: Stream,
  historyRows: number,
): DerivedMark | undefined {
  const part = PARTS[stream];
  const [ofHistory, rows] = (environment.meta.get(part) ?? '').split(' ').map(Number);
  const isTrue = ofHistory === historyRows && rows !== undefined && rows === environment[part]?.size();
  return isTrue ? { historyRows, rows } : undefined;
}

/** As part of a batch: all of them are made again at the next start. */
export function forgetDerivedMarks({ meta }: Pick<Environment, 'meta'>): void {
  for (const part of Object.values(PARTS)) void meta.remove(part);
}

/** After every id. */
const LAST_KEY = '\u{10ffff}';

/** The latest outputs of a stream after a key, ordered by it. */
export function* latestAfter<S extends Stream>(
  { latest }: Pick<Environment, 'latest'>,
  stream: S,
  after = '',
  limit = Number.POSITIVE_INFINITY,
): Iterable<OutputOf<S>> {
  const start: [string, string] = [stream, after];
  const end: [string, string] = [stream, LAST_KEY];
  for (const { key, value } of latest.getRange({ start, exclusiveStart: true, end, limit }))
    yield parseStored<OutputOf<S>>(value, `the latest of ${key.join(' ')}`);
}
