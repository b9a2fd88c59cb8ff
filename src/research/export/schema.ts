import type { Column } from './columns.ts';

/** How the records of a stream become rows. */
export interface Schema<Record> {
  /** Raised whenever a column is added, removed, renamed or means something else. */
  readonly version: number;
  /** The time of the event that a record describes, UTC ms; null for a stream whose records have no time of their own. */
  readonly eventAt: ((record: Record) => number) | null;
  /** The stream's own columns, after those that every stream has. */
  readonly columns: readonly Column<Record>[];
}
