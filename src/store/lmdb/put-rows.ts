import type { Key } from '#database';
import type { CheckedRows, Row } from './checked-rows.ts';
import type { Environment } from './environment.ts';

/** Rows per transaction. */
const BATCH = 1_000;

/** Puts any number of rows, some at a time; resolves to how many once all are on disk. */
export async function putRows<V extends string | Buffer, K extends Key>(
  into: CheckedRows<V, K>,
  rows: Iterable<Row<V, K>>,
  { durable, root }: Environment,
): Promise<number> {
  let put = 0;
  let batch: Row<V, K>[] = [];
  const write = async () => {
    const written = batch;
    if (written.length === 0) return;
    batch = [];
    put += written.length;
    const begin = () =>
      root.batch(() => {
        for (const { key, value } of written) void into.put(key, value);
      });
    const bytes = written.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
    await durable(begin, into.name, { rows: written.length, bytes });
  };
  for (const row of rows) {
    batch.push(row);
    if (batch.length >= BATCH) await write();
  }
  await write();
  return put;
}
