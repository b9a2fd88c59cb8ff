import { KEPT_STREAMS, type StreamName } from '../../../streams/internal.ts';
import { forgetDerivedMarks } from './derived-parts.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';

/** What is kept of the outputs, written with each of them, so that rows that got lost are noticed. */
export interface OutputMark {
  /** All outputs of observations up to this seq are kept. */
  readonly upTo: number;
  /** The number of the last row of each stream's history. */
  readonly rows: Readonly<Partial<Record<StreamName, number>>>;
  readonly latest: LatestSum;
}

/** How many latest rows there are, and the sum of their checksums. */
type LatestSum = readonly [count: number, sum: number];

/** The row of `meta` that holds it. */
export const MARK_ROW = 'outputs';
const DROPPED_ROW = 'dropped';

export const NO_OUTPUTS: OutputMark = { upTo: 0, rows: {}, latest: [0, 0] };

type Dropped = Readonly<Partial<Record<StreamName, number>>>;

export function readOutputMark({ meta }: Environment): OutputMark {
  const text = meta.get(MARK_ROW);
  return text === undefined ? NO_OUTPUTS : parseStored<OutputMark>(text, 'the mark of the outputs');
}

/** As part of a batch. */
export function putOutputMark({ meta }: Environment, mark: OutputMark): void {
  void meta.put(MARK_ROW, JSON.stringify(mark));
}

function readDropped({ meta }: Environment): Dropped {
  const text = meta.get(DROPPED_ROW);
  return text === undefined ? {} : parseStored<Dropped>(text, 'the numbers of the dropped outputs');
}

/** The number of the last row of a history that was dropped. */
export function droppedRows(environment: Environment, stream: StreamName): number {
  return readDropped(environment)[stream] ?? 0;
}

/** As part of a batch. */
export function putDropped(environment: Environment, dropped: Dropped): void {
  void environment.meta.put(DROPPED_ROW, JSON.stringify({ ...readDropped(environment), ...dropped }));
}

/** As part of a batch. */
export function forgetDropped({ meta }: Environment): void {
  void meta.remove(DROPPED_ROW);
}

/** A row of history: its number, from 1 on, and its JSON, which begins with a brace. */
export function numberedRow(number: number, json: string): string {
  return number.toString(RADIX) + json;
}

const RADIX = 36;

export function numberOf(text: string): number {
  return Number.parseInt(text.slice(0, text.indexOf('{')), RADIX);
}

export function jsonOf(text: string): string {
  return text.slice(text.indexOf('{'));
}

function sumOf({ latest }: Environment): LatestSum {
  let count = 0;
  let sum = 0;
  for (const { key, value } of latest.getRange()) {
    count += 1;
    sum += latest.checksumOf(key, value);
  }
  return [count, sum];
}

/** Throws when rows are missing, or older than they should be. */
export function checkLatest(environment: Environment): void {
  compareLatest(environment, sumOf(environment), readOutputMark(environment).latest);
}

export function compareLatest({ damage }: Environment, found: LatestSum, expected: LatestSum): void {
  if (found[0] === expected[0] && found[1] === expected[1]) return;
  throw damage(
    'latest',
    `latest: found ${found[0]} of ${expected[0]} values, or older ones than were stored`,
  );
}

/** Throws unless the history of each stream begins after the rows that were dropped, and ends with the last one. */
export function checkHistoryEnds(environment: Environment): void {
  const { rows } = readOutputMark(environment);
  // A stream whose history cannot be found has no rows.
  for (const stream of KEPT_STREAMS) {
    const name = `history.${stream}`;
    const expected = rows[stream] ?? 0;
    const found = lastNumber(environment, stream);
    if (found !== expected)
      throw environment.damage(name, `${name}: ends with row ${found}, expected row ${expected}`);
    const begin = droppedRows(environment, stream) + 1;
    for (const { value } of environment.histories.get(stream)?.getRange({ limit: 1 }) ?? []) {
      const first = numberOf(value);
      if (first !== begin)
        throw environment.damage(name, `${name}: begins with row ${first}, expected row ${begin}`);
    }
  }
}

function lastNumber(environment: Environment, stream: StreamName): number {
  const range = { reverse: true, limit: 1 };
  for (const { value } of environment.histories.get(stream)?.getRange(range) ?? []) return numberOf(value);
  return droppedRows(environment, stream);
}

/** Makes the mark that of the rows that are there. */
export async function markOutputs(environment: Environment, upTo: number): Promise<void> {
  const rows: Partial<Record<StreamName, number>> = {};
  for (const stream of environment.histories.keys()) rows[stream] = lastNumber(environment, stream);
  const latest = sumOf(environment);
  const begin = () =>
    environment.root.batch(() => {
      putOutputMark(environment, { upTo, rows, latest });
      forgetDerivedMarks(environment);
    });
  await environment.durable(begin, 'the mark of the outputs', { rows: 3, bytes: 0 });
}
