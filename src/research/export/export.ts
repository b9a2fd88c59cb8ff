import { basename } from 'node:path';
import { GRAPH_VERSION } from '../../../streams/internal.ts';
import { createLoopYield, UNATTENDED_TURN_MS } from '../../resilience/loop-yield.ts';
import type { Store } from '../../store/store.ts';
import type { LogPosition } from '../log-position.ts';
import { type AtomicFile, createAtomicFile } from './atomic-file.ts';
import { type Format, manifestText, type Written } from './manifest.ts';
import type { RowWriter, WriteBytes } from './row-writer.ts';
import { seqAtPosition } from './seq-at-position.ts';
import type { Table } from './table.ts';
import { createCsvWriter, createNdjsonWriter } from './text-writers.ts';

export interface ExportOptions {
  readonly table: Table;
  readonly format: Format;
  /** The first observation whose rows are written; the oldest kept unless given. */
  readonly from?: LogPosition | undefined;
  /** The first observation whose rows are not written; without it, all up to now are. */
  readonly to?: LogPosition | undefined;
  /** The file to write; named after the stream and the range unless given. */
  readonly path?: string | undefined;
  /** The program's version, for the manifest. */
  readonly version: string;
  readonly onProgress: (seq: number, range: { readonly fromSeq: number; readonly toSeq: number }) => void;
  readonly signal: AbortSignal;
}

export interface Exported extends Written {
  readonly path: string;
  readonly manifestPath: string;
}

/**
 * Writes a part of a table and its manifest. Either both are there whole in the end or neither is, whatever
 * happens in between; rejects with the signal's reason when it is aborted. Memory does not grow with the part.
 */
export async function exportTable(store: Store, options: ExportOptions): Promise<Exported> {
  const { table, format, from, to, signal } = options;
  const end = table.lastSeq(store) + 1;
  const fromSeq = from ? await seqAtPosition(store, from, signal) : Math.max(store.journal.tail, 1);
  const toSeq = Math.max(fromSeq, Math.min(end, to ? await seqAtPosition(store, to, signal) : end));
  const path = options.path ?? defaultPath(options, fromSeq, toSeq);
  const manifestPath = `${path}.manifest.json`;
  const files: AtomicFile[] = [];
  try {
    const file = await createAtomicFile(path);
    files.push(file);
    const rows = await writeRows(store, options, { fromSeq, toSeq }, file.write);
    const written = { ...rows, ...(await file.close()) };
    const manifest = await createAtomicFile(manifestPath);
    files.push(manifest);
    const graphVersion = store.checkpoints.list().at(-1)?.graphVersion ?? GRAPH_VERSION;
    const { version } = options;
    const facts = { table, format, file: basename(path), from, to, fromSeq, toSeq, written };
    await manifest.write(manifestText({ ...facts, version, graphVersion }));
    await manifest.close();
    signal.throwIfAborted();
    for (const each of files) await each.publish();
    return { ...written, path, manifestPath };
  } finally {
    for (const each of files) await each.discard();
  }
}

async function writeRows(
  store: Store,
  { table, format, onProgress, signal }: ExportOptions,
  range: { readonly fromSeq: number; readonly toSeq: number },
  write: WriteBytes,
): Promise<Pick<Written, 'rows' | 'firstSeq' | 'lastSeq'>> {
  const writer = await createWriter(table, format, write);
  const loop = createLoopYield(UNATTENDED_TURN_MS);
  let rows = 0;
  let firstSeq: number | null = null;
  let lastSeq: number | null = null;
  for (const { seq, cells } of table.rows(store, range.fromSeq)) {
    if (seq >= range.toSeq) break;
    rows += 1;
    firstSeq ??= seq;
    lastSeq = seq;
    if (writer.put(cells)) await writer.flush();
    if (!loop.isDue()) continue;
    onProgress(seq, range);
    await loop.yield();
    signal.throwIfAborted();
  }
  await writer.end();
  return { rows, firstSeq, lastSeq };
}

async function createWriter(table: Table, format: Format, write: WriteBytes): Promise<RowWriter> {
  if (format === 'csv') return createCsvWriter(table.columns, write);
  if (format === 'ndjson') return createNdjsonWriter(table.columns, write);
  // Loaded only here, as the other formats do not need it.
  const { createParquetWriter } = await import('./parquet-writer.ts');
  return createParquetWriter(table.columns, write, {
    'tallywire.stream': table.name,
    'tallywire.schema_version': String(table.schemaVersion),
  });
}

/** `counters-20260131T100000Z-20260131T110000Z.parquet`, or by seq where no time was given. */
function defaultPath({ table, format, from, to }: ExportOptions, fromSeq: number, toSeq: number): string {
  const place = (position: LogPosition | undefined, seq: number) =>
    position?.by === 'time' ? new Date(position.at).toISOString().replace(/[-:]|\.000/g, '') : `seq${seq}`;
  return `${table.name}-${place(from, fromSeq)}-${place(to, toSeq)}.${format}`;
}
