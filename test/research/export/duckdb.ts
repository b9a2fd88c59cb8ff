import { DuckDBInstance, type DuckDBValue, type JS } from '@duckdb/node-api';

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

/** The rows of a query, as a reader that shares nothing with our writer sees them. */
export async function query(sql: string): Promise<readonly Readonly<Record<string, Plain>>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(sql);
    return reader
      .getRowObjectsJS()
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Whole numbers come as bigint. */
function plain(value: JS | DuckDBValue): Plain {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  }
  return value ?? null;
}
