import type { EventRecord } from '../../../streams/internal.ts';
import type { Column } from './columns.ts';

/** A record and its event. */
export interface OfEvent<Record> {
  readonly record: Record;
  readonly event: EventRecord | undefined;
}

/** How the records of a stream become rows. */
export interface Schema<Record> {
  /** Raised whenever a column is added, removed, renamed or means something else. */
  readonly version: number;
  /** The time of the event that a record describes, UTC ms; null for a stream whose records have no time of their own. */
  readonly eventAt: ((record: Record) => number) | null;
  /** The stream's own columns, after those that every stream has. */
  readonly columns: readonly Column<Record>[];
  /** What a record leaves to its event, after those; the event is as it was known then, and undefined when it was not. */
  readonly ofEvent?: {
    readonly eventId: (record: Record) => number;
    readonly columns: readonly Column<OfEvent<Record>>[];
  };
}
