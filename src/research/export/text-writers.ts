import type { Cell, ColumnHead } from './columns.ts';
import type { RowWriter, WriteBytes } from './row-writer.ts';

const CHUNK_CHARS = 262_144;

function createLineWriter(
  write: WriteBytes,
  head: string,
  lineOf: (cells: readonly Cell[]) => string,
): RowWriter {
  let text = head;
  async function flush(): Promise<void> {
    if (text !== '') await write(text);
    text = '';
  }
  return {
    put(cells) {
      text += lineOf(cells);
      return text.length >= CHUNK_CHARS;
    },
    flush,
    end: flush,
  };
}

/** One object per line, with every column in it. */
export function createNdjsonWriter(columns: readonly ColumnHead[], write: WriteBytes): RowWriter {
  const names = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  return createLineWriter(write, '', (cells) => {
    const fields = cells.map((cell, index) => names[index] + JSON.stringify(cell));
    return `{${fields.join(',')}}\n`;
  });
}

/** RFC 4180. Null is nothing at all, an empty text is `""`, lists are JSON. */
export function createCsvWriter(columns: readonly ColumnHead[], write: WriteBytes): RowWriter {
  const lineOf = (cells: readonly Cell[]) => `${cells.map(csvCell).join(',')}\r\n`;
  return createLineWriter(write, lineOf(columns.map(({ name }) => name)), lineOf);
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
