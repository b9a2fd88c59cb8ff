import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { type Cell, type ColumnHead, type ColumnType, typeName } from './columns.ts';
import type { RowWriter, WriteBytes } from './row-writer.ts';

/** A row group ends at whichever comes first: the writer holds one in memory, as arrays of its values. */
const ROWS_PER_GROUP = 50_000;
const BYTES_PER_GROUP = 8_000_000;
const BYTES_PER_NUMBER = 8;

/** What the writer takes: it wants bigint for INT64. */
type ParquetCell =
  | bigint
  | number
  | string
  | boolean
  | null
  | readonly ParquetCell[]
  | { readonly [field: string]: ParquetCell };

/** Snappy, which every reader and every Node has, and whose bytes do not depend on the version of either. */
export function createParquetWriter(
  columns: readonly ColumnHead[],
  write: WriteBytes,
  metadata: Readonly<Record<string, string>>,
): RowWriter {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  let group: ParquetCell[][] = columns.map(() => []);
  let rows = 0;
  let bytesHeld = 0;

  async function drain(): Promise<void> {
    // The next group is written into the same memory, so these bytes have to be gone before.
    await write(bytes.getBytes());
    bytes.index = 0;
  }

  async function flush(): Promise<void> {
    if (rows === 0) return;
    const columnData = columns.map(({ name }, index) => ({ name, data: group[index] ?? [] }));
    await file.write({ columnData, rowGroupSize: rows });
    group = columns.map(() => []);
    rows = 0;
    bytesHeld = 0;
    await drain();
  }

  return {
    put(cells) {
      for (const [index, { type }] of columns.entries()) {
        const cell = cells[index] ?? null;
        group[index]?.push(toParquet(type, cell));
        bytesHeld += sizeOf(cell);
      }
      rows += 1;
      return rows >= ROWS_PER_GROUP || bytesHeld >= BYTES_PER_GROUP;
    },
    flush,
    async end() {
      await flush();
      await file.finish();
      await drain();
    },
  };
}

/** Throws for a cell that is not of its column's type, which is a bug of the schema. */
function toParquet(type: ColumnType, cell: Cell): ParquetCell {
  if (cell === null) return null;
  if (typeof cell !== 'object') return type === 'INT64' ? BigInt(cell) : cell;
  if (typeof type === 'object' && 'list' in type && isList(cell)) {
    return cell.map((each) => toParquet(type.list, each));
  }
  if (typeof type === 'object' && 'struct' in type && !isList(cell)) {
    const fields = Object.entries(type.struct);
    return Object.fromEntries(fields.map(([name, each]) => [name, toParquet(each, cell[name] ?? null)]));
  }
  throw new TypeError(`found ${JSON.stringify(cell)}, expected ${typeName(type)}`);
}

/** Near enough to bound memory by. */
function sizeOf(cell: Cell): number {
  if (typeof cell === 'string') return BYTES_PER_NUMBER + cell.length;
  if (cell === null || typeof cell !== 'object') return BYTES_PER_NUMBER;
  return Object.values(cell).reduce<number>((sum, each) => sum + sizeOf(each), BYTES_PER_NUMBER);
}

function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell);
}

function schemaOf(columns: readonly ColumnHead[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.flatMap(({ name, type, isNullable }) => elementsOf(name, type, isNullable)),
  ];
}

/** Lists in the three levels that the format asks for. */
function elementsOf(name: string, type: ColumnType, isNullable: boolean): SchemaElement[] {
  const self = { name, repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' } as const;
  if (type === 'UTF8') {
    return [{ ...self, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }];
  }
  if (typeof type === 'string') return [{ ...self, type }];
  if ('list' in type) {
    return [
      { ...self, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementsOf('element', type.list, false),
    ];
  }
  const fields = Object.entries(type.struct);
  return [
    { ...self, num_children: fields.length },
    ...fields.flatMap(([field, each]) => elementsOf(field, each, true)),
  ];
}
