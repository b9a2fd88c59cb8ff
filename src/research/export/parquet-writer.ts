import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import type { Cell, ColumnHead, Scalar } from './columns.ts';
import { elementsOf, type Leaf, shred } from './parquet-leaves.ts';
import type { RowWriter, WriteBytes } from './row-writer.ts';

/** The size of a row group, which the writer holds in memory. */
const BYTES_PER_GROUP = 8_000_000;
const BYTES_PER_VALUE = 8;
/** The uncompressed size of a page. */
const BYTES_PER_PAGE = 1_048_576;

/**
 * Snappy, which every reader and every Node has, and whose bytes do not depend on the version of either. The library
 * is given leaves, as its own way from rows to them took most of the time.
 */
export function createParquetWriter(
  columns: readonly ColumnHead[],
  write: WriteBytes,
  metadata: Readonly<Record<string, string>>,
): RowWriter {
  const bytes = new ByteWriter();
  const parts = columns.map(elementsOf);
  const file = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...parts.flatMap(({ elements }) => elements)],
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  let group: Cell[][] = columns.map(() => []);
  let rows = 0;
  let bytesHeld = 0;

  async function drain(): Promise<void> {
    // The next group is written into the same memory, so these bytes have to be gone before.
    await write(bytes.getBytes());
    bytes.index = 0;
  }

  async function flush(): Promise<void> {
    if (rows === 0) return;
    const startedAt = bytes.offset;
    const written = parts.flatMap(({ leaves }, index) =>
      leaves.map((leaf) => writeLeaf(bytes, leaf, group[index] ?? [])),
    );
    file.pendingIndexes.push(...written);
    file.row_groups.push({
      columns: written.map(({ chunk }) => chunk),
      total_byte_size: BigInt(bytes.offset - startedAt),
      num_rows: BigInt(rows),
    });
    file.num_rows += BigInt(rows);
    group = columns.map(() => []);
    rows = 0;
    bytesHeld = 0;
    await drain();
  }

  return {
    put(cells) {
      for (let index = 0; index < columns.length; index++) {
        const cell = cells[index] ?? null;
        group[index]?.push(cell);
        bytesHeld += sizeOf(cell) * (parts[index]?.leaves.length ?? 0);
      }
      rows += 1;
      return bytesHeld >= BYTES_PER_GROUP;
    },
    flush,
    async end() {
      await flush();
      await file.finish();
      await drain();
    },
  };
}

/** The bytes of each of the cell's leaves, exact enough to bound memory. */
function sizeOf(cell: Cell): number {
  if (typeof cell === 'string') return BYTES_PER_VALUE + cell.length;
  return cell !== null && typeof cell === 'object' ? BYTES_PER_VALUE * (1 + cell.length) : BYTES_PER_VALUE;
}

/** Writes the part of a leaf in a row group. */
function writeLeaf(writer: ByteWriter, leaf: Leaf, cells: readonly Cell[]): ReturnType<typeof writeColumn> {
  const { type, path, maxDefinition, isListed } = leaf;
  const { values, definitions, repetitions } = shred(leaf, cells);
  const element = path.at(-1);
  if (element === undefined) throw new RangeError('a leaf has a place in the schema');
  const isPacked = type === 'INT64' && isListed && values.every(isSmall);
  return writeColumn({
    writer,
    column: {
      columnName: path.map(({ name }) => name).join('.'),
      element,
      schemaPath: [{ name: 'root' }, ...path],
      codec: 'SNAPPY',
      compressors: { SNAPPY: snappyCompress },
      // Readers do not skip rows by the contents of their lists.
      stats: !isListed,
      pageSize: BYTES_PER_PAGE,
      columnIndex: false,
      offsetIndex: true,
      // The integers in lists are most of a file, small, and near one another.
      ...(isPacked ? { encoding: 'DELTA_BINARY_PACKED' } : {}),
    },
    pageData: {
      // Unless it packs them, the library wants a bigint for each.
      values: type === 'INT64' && !isPacked ? values.map(toBigInt) : values,
      definitionLevels: definitions,
      repetitionLevels: repetitions,
      maxDefinitionLevel: maxDefinition,
    },
  });
}

function isSmall(value: Scalar): boolean {
  return value === null || (typeof value === 'number' && value === (value | 0));
}

function toBigInt(value: Scalar): bigint | null {
  return value === null ? null : BigInt(value);
}
