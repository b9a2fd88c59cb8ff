import {
  KEPT_STREAMS,
  type Observation,
  type Output,
  type OutputOf,
  type StreamRecords,
} from '../../../streams/internal.ts';
import type { Store } from '../../store/store.ts';
import { type Cell, type Column, type ColumnHead, column, nullable } from './columns.ts';
import { followEvents } from './followed-events.ts';
import type { OfEvent, Schema } from './schema.ts';
import { SCHEMAS } from './stream-schemas.ts';

interface Row {
  readonly seq: number;
  /** In the order of the columns. */
  readonly cells: readonly Cell[];
}

/** What can be exported: a kept stream, one row per output, or the log. */
export interface Table {
  readonly name: string;
  readonly schemaVersion: number;
  readonly columns: readonly ColumnHead[];
  /** Seq of the last observation whose rows are all there; an engine may go on writing. */
  lastSeq(store: Store): number;
  /** From `fromSeq` on, in order. Holds no read transaction between steps. */
  rows(store: Store, fromSeq: number): Iterable<Row>;
}

/** The log itself. */
export const LOG = 'observations';

type Exported = keyof typeof SCHEMAS;

export const TABLE_NAMES: readonly string[] = [...KEPT_STREAMS, LOG];

function isExported(name: string): name is Exported {
  return Object.hasOwn(SCHEMAS, name);
}

/** Undefined for a name that is neither a kept stream nor the log. */
export function tableOf(name: string): Table | undefined {
  if (name === LOG) return logTable;
  return isExported(name) ? streamTable(name) : undefined;
}

function table<Source extends { readonly seq: number }>(
  name: string,
  schemaVersion: number,
  columns: readonly Column<Source>[],
  lastSeq: Table['lastSeq'],
  read: (store: Store, fromSeq: number) => Iterable<Source>,
): Table {
  return {
    name,
    schemaVersion,
    columns,
    lastSeq,
    *rows(store, fromSeq) {
      for (const source of read(store, fromSeq)) {
        yield { seq: source.seq, cells: columns.map(({ of }) => of(source)) };
      }
    },
  };
}

function streamTable<S extends Exported>(stream: S): Table {
  type Emitted = OutputOf<S>;
  const schema: Schema<StreamRecords[S]> = SCHEMAS[stream];
  type Joined = Emitted & OfEvent<StreamRecords[S]>;
  const { eventAt, ofEvent } = schema;
  const columns: readonly Column<Joined>[] = [
    column('seq', 'INT64', ({ seq }) => seq),
    column('received_ts', 'INT64', ({ at }) => at),
    nullable('event_ts', 'INT64', ({ record }) => (eventAt === null ? null : eventAt(record))),
    column('cause', 'UTF8', ({ cause }) => cause),
    column('key', 'UTF8', ({ key }) => key),
    ...schema.columns.map((each) => ({ ...each, of: ({ record }: Joined) => each.of(record) })),
    ...(ofEvent?.columns ?? []),
  ];
  function* read(store: Store, fromSeq: number): Iterable<Joined> {
    const eventOf = ofEvent && followEvents(store);
    for (const { json } of store.outputs.read(stream, fromSeq)) {
      // Each row is what JSON.stringify made of an output of this stream.
      const output = JSON.parse(json) as Emitted & Output;
      yield { ...output, event: ofEvent && eventOf?.(ofEvent.eventId(output.record), output.seq) };
    }
  }
  return table(stream, schema.version, columns, ({ outputs }) => outputs.upTo, read);
}

/** Facts are of many kinds, so they stay the JSON text that they are in the log. */
const logTable = table<Observation>(
  LOG,
  1,
  [
    column('seq', 'INT64', ({ seq }) => seq),
    column('received_ts', 'INT64', ({ receivedAt }) => receivedAt),
    nullable('event_ts', 'INT64', ({ fact }) => (fact.kind === 'post' ? fact.createdAt : null)),
    column('kind', 'UTF8', ({ fact }) => fact.kind),
    column('fact', 'UTF8', ({ fact }) => JSON.stringify(fact)),
  ],
  ({ journal }) => journal.head,
  ({ journal }, fromSeq) => journal.read(fromSeq),
);
