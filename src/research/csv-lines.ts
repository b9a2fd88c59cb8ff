import { readFile } from 'node:fs/promises';
import { messageOf, ServiceError } from '../errors.ts';

/** A record of a CSV file and the line, from 1, on which it begins. */
export interface CsvLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A CSV file with a header. */
export interface CsvFile {
  readonly path: string;
  readonly names: readonly string[];
  readonly lines: readonly CsvLine[];
}

export async function readCsv(path: string): Promise<CsvFile> {
  const [header, ...lines] = csvLines(await readText(path), path);
  return { path, names: header?.cells.map((name) => name.trim()) ?? [], lines };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ServiceError('BACKTEST_FILE', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** The place of a column; -1 where the file has none of them. */
export function placeOf({ names }: CsvFile, ...anyOf: readonly string[]): number {
  return names.findIndex((name) => anyOf.includes(name));
}

/** The records of RFC 4180 text: cells in quotes may hold commas, quotes and ends of lines. Empty lines are passed over. */
export function csvLines(text: string, path: string): CsvLine[] {
  const rows = text.replace(/^\uFEFF/, '').split('\n');
  const lines: CsvLine[] = [];
  for (let index = 0; index < rows.length; index++) {
    const line = index + 1;
    const parts = [rows[index] ?? ''];
    let quotes = quotesIn(rows[index] ?? '');
    while (quotes % 2 === 1) {
      index += 1;
      const next = rows[index];
      if (next === undefined)
        throw new ServiceError('BACKTEST_FILE', `${path} line ${line} has a quote that is never closed`);
      parts.push(next);
      quotes += quotesIn(next);
    }
    const record = parts.join('\n').replace(/\r$/, '');
    if (record !== '') lines.push({ line, cells: cellsOf(record) });
  }
  return lines;
}

function quotesIn(text: string): number {
  return text.includes('"') ? text.split('"').length - 1 : 0;
}

function cellsOf(record: string): string[] {
  if (!record.includes('"')) return record.split(',');
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let index = 0; index < record.length; index++) {
    const char = record[index] ?? '';
    if (char === '"') {
      if (isQuoted && record[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = !isQuoted;
    } else if (char === ',' && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += char;
  }
  return [...cells, cell];
}
