import type { LogPosition } from '../log-position.ts';
import { typeName } from './columns.ts';
import type { Table } from './table.ts';

export type Format = 'parquet' | 'ndjson' | 'csv';

export const FORMATS: readonly Format[] = ['parquet', 'ndjson', 'csv'];

export interface Written {
  readonly rows: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly bytes: number;
  readonly sha256: string;
}

interface ManifestFacts {
  readonly table: Table;
  readonly format: Format;
  /** The name without its folder. */
  readonly file: string;
  readonly from: LogPosition | undefined;
  readonly to: LogPosition | undefined;
  /** The observations from `fromSeq` to before `toSeq`. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly written: Written;
  readonly version: string;
  readonly graphVersion: number;
}

/** A position in the form that `--from` takes. */
function positionText(position: LogPosition): string {
  return position.by === 'seq' ? `seq:${position.seq}` : new Date(position.at).toISOString();
}

/** The text of the manifest. It does not say when it was made, so that the same log gives the same bytes. */
export function manifestText(facts: ManifestFacts): string {
  const { table, format, file, from, to, fromSeq, toSeq, written, version, graphVersion } = facts;
  const manifest = {
    stream: table.name,
    schema_version: table.schemaVersion,
    format,
    file,
    rows: written.rows,
    bytes: written.bytes,
    sha256: written.sha256,
    from: from ? positionText(from) : null,
    to: to ? positionText(to) : null,
    from_seq: fromSeq,
    to_seq: toSeq,
    first_seq: written.firstSeq,
    last_seq: written.lastSeq,
    tallywire_version: version,
    graph_version: graphVersion,
    columns: table.columns.map(({ name, type, isNullable }) => ({
      name,
      type: typeName(type),
      nullable: isNullable,
    })),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
