import { DAY_MS, type OutputOf } from '../../../streams/internal.ts';
import type { EventHead } from '../store.ts';
import {
  type DerivedMark,
  latestAfter,
  NOTHING_DERIVED,
  putDerivedMark,
  readDerivedMark,
} from './derived-parts.ts';
import { type Environment, EVENT_HEADS, type EventHeads, type HeadsKey } from './environment.ts';
import { parseStored } from './stored-text.ts';

type EventOutput = OutputOf<'events'>;

/**
 * The heads of the events of an account that end in such a span are one row: a start reads all of them, and few rows are
 * read faster than many. Events about no account are more, and a row of them is written again with each change of one.
 */
const ACCOUNT_SPAN_MS = 64 * DAY_MS;
const OTHER_SPAN_MS = 4 * DAY_MS;
const NO_ACCOUNT = '';

type PackedHead = [
  key: string,
  seq: number,
  at: number,
  startAt: number | null,
  endAt: number,
  isClosed: 0 | 1,
];

function accountOf({ record: { subject } }: EventOutput): string {
  return subject.type === 'posts' ? subject.account : NO_ACCOUNT;
}

function rowOf(event: EventOutput): HeadsKey {
  const account = accountOf(event);
  const spanMs = account === NO_ACCOUNT ? OTHER_SPAN_MS : ACCOUNT_SPAN_MS;
  return [account, Math.floor(event.record.endAt / spanMs)];
}

function packed({ key, seq, at, record }: EventOutput): PackedHead {
  const { startAt, endAt, phase } = record;
  return [key, seq, at, startAt, endAt, phase === 'closed' ? 1 : 0];
}

/** The head of an event, from the event itself. */
export function headOf(event: EventOutput): EventHead {
  return unpacked(accountOf(event), packed(event));
}

function unpacked(account: string, [key, seq, at, startAt, endAt, isClosed]: PackedHead): EventHead {
  return {
    key,
    seq,
    at,
    account: account === NO_ACCOUNT ? null : account,
    startAt,
    endAt,
    isClosed: isClosed === 1,
  };
}

function parseRow(key: HeadsKey, text: string): PackedHead[] {
  return parseStored<PackedHead[]>(text, `the heads of events ${key.join(' ')}`);
}

/** All of them. */
export function* readHeads(heads: EventHeads): Iterable<EventHead> {
  for (const { key, value } of heads.getRange()) {
    for (const head of parseRow(key, value)) yield unpacked(key[0], head);
  }
}

/** Rows with what changes in them, to be put in a batch. */
export interface HeadRows {
  readonly rows: readonly { readonly key: HeadsKey; readonly text: string }[];
  /** How many of them are not there yet. */
  readonly added: number;
}

export const NO_HEAD_ROWS: HeadRows = { rows: [], added: 0 };

/** The rows that hold these events from now on, and those that held them before. `before` is the JSON until now. */
export function headRowsOf(
  heads: EventHeads,
  changes: readonly { readonly output: EventOutput; readonly before: string | undefined }[],
): HeadRows {
  const rows = new Map<string, { readonly key: HeadsKey; readonly entries: Map<string, PackedHead> }>();
  let added = 0;
  const rowAt = (key: HeadsKey) => {
    const name = key.join(' ');
    const known = rows.get(name);
    if (known !== undefined) return known;
    const text = heads.get(key);
    if (text === undefined) added += 1;
    const stored = text === undefined ? [] : parseRow(key, text);
    const row = { key, entries: new Map(stored.map((head) => [head[0], head])) };
    rows.set(name, row);
    return row;
  };
  for (const { output, before } of changes) {
    const row = rowAt(rowOf(output));
    if (before !== undefined) {
      const known = rowAt(rowOf(parseStored<EventOutput>(before, `the latest of events ${output.key}`)));
      if (known !== row) known.entries.delete(output.key);
    }
    row.entries.set(output.key, packed(output));
  }
  return {
    rows: Array.from(rows.values(), ({ key, entries }) => ({
      key,
      text: JSON.stringify([...entries.values()]),
    })),
    added,
  };
}

/** Events per write. */
const BATCH = 500;

/** Makes all heads again. */
export async function makeHeads(environment: Environment, historyRows: number): Promise<DerivedMark> {
  const { durable, root, eventHeads } = environment;
  if (eventHeads === undefined) return NOTHING_DERIVED;
  const clear = () => root.batch(() => void eventHeads.clear());
  await durable(clear, 'the cleared heads of events', { rows: 2, bytes: 0 });
  let rows = 0;
  for (let after = ''; ; ) {
    const events = [...latestAfter(environment, 'events', after, BATCH)];
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.key;
    const changed = headRowsOf(
      eventHeads,
      events.map((output) => ({ output, before: undefined })),
    );
    rows += changed.added;
    await durable(
      () => root.batch(() => putHeadRows(eventHeads, changed)),
      'the heads of events',
      sizeOf(changed),
    );
  }
  const mark = { historyRows, rows };
  const end = () => root.batch(() => putDerivedMark(environment, 'events', mark));
  await durable(end, 'the mark of the heads of events', { rows: 1, bytes: 0 });
  return mark;
}

/** As part of a batch. */
export function putHeadRows(heads: EventHeads, { rows }: HeadRows): void {
  for (const { key, text } of rows) void heads.put(key, text);
}

/** What a batch has to have room for. */
export function sizeOf({ rows }: HeadRows): { readonly rows: number; readonly bytes: number } {
  return { rows: rows.length, bytes: rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) };
}

/** Throws unless an event that is among the latest has its head, as it is now. */
export function checkHead({ eventHeads, damage }: Environment, event: EventOutput): void {
  if (eventHeads === undefined) return;
  const key = rowOf(event);
  const heads = parseRow(key, eventHeads.get(key) ?? '[]');
  const head = heads.find(([name]) => name === event.key);
  if (head !== undefined && packed(event).every((value, place) => value === head[place])) return;
  throw damage(
    EVENT_HEADS,
    `${EVENT_HEADS}: the head of event ${event.key} is missing, or older than the event`,
  );
}

/** Throws when heads are missing, or older than their events. Those that are to be made again are not looked at. */
export function checkHeads(environment: Environment, historyRows: number): void {
  if (readDerivedMark(environment, 'events', historyRows) === undefined) return;
  for (const event of latestAfter(environment, 'events')) checkHead(environment, event);
}
