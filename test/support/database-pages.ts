import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Pages of a store's file, as the database of this version lays them out, for tests that damage them. */

export const PAGE = 4_096;
const HEADER = 24;
/** Offsets in the header of a page. */
const FLAGS = 18;
const LOWER = 20;
const OVERFLOW_COUNT = 20;
const BRANCH = 1;
/** Offsets in one of the first two pages, after its header: the two roots, and the transaction that wrote it. */
const ROOTS = 24;
const ROOT_BYTES = 48;
const ROOT_PAGE = 40;
const TRANSACTION = ROOTS + 2 * ROOT_BYTES + 8;
/** Flags of a row: its value is on pages of its own, or is the root of a database. */
const IS_LONG = 1;
const IS_ROOT = 2;
const ROW_HEADER = 8;

export type PageKind = 'branch' | 'leaf' | 'long value';

export interface UsedPage {
  readonly page: number;
  readonly kind: PageKind;
  /** The database; `names` is that of their names and `free` the list of free pages. */
  readonly part: string;
}

export function filePath(folder: string): string {
  return join(folder, 'db', 'data.mdb');
}

/** Every page of the store in a folder that its last transaction uses. */
export function usedPages(folder: string): readonly UsedPage[] {
  const bytes = readFileSync(filePath(folder));
  const found: UsedPage[] = [];
  const [newest = HEADER] = [HEADER, PAGE + HEADER].sort(
    (a, b) => numberAt(bytes, b + TRANSACTION) - numberAt(bytes, a + TRANSACTION),
  );

  function visit(page: number, part: string): void {
    const start = page * PAGE;
    // An empty database has no pages.
    if (start >= bytes.length) return;
    const isBranch = (bytes.readUInt16LE(start + FLAGS) & BRANCH) !== 0;
    found.push({ page, part, kind: isBranch ? 'branch' : 'leaf' });
    for (let offset = 0; offset < bytes.readUInt16LE(start + LOWER); offset += 2) {
      const row = start + HEADER + bytes.readUInt16LE(start + HEADER + offset);
      const flags = bytes.readUInt16LE(row + 4);
      const value = row + ROW_HEADER + bytes.readUInt16LE(row + 6);
      if (isBranch) visit(bytes.readUInt32LE(row) + flags * 2 ** 32, part);
      else if ((flags & IS_LONG) !== 0) visitLong(numberAt(bytes, value), part);
      else if ((flags & IS_ROOT) !== 0 && part === 'names')
        visit(numberAt(bytes, value + ROOT_PAGE), nameIn(bytes.subarray(row + ROW_HEADER, value)));
    }
  }

  function visitLong(first: number, part: string): void {
    const count = bytes.readUInt32LE(first * PAGE + OVERFLOW_COUNT);
    for (let page = first; page < first + count; page++) found.push({ page, part, kind: 'long value' });
  }

  visit(numberAt(bytes, newest + ROOTS + ROOT_PAGE), 'free');
  visit(numberAt(bytes, newest + ROOTS + ROOT_BYTES + ROOT_PAGE), 'names');
  return found;
}

function numberAt(bytes: Buffer, offset: number): number {
  return Number(bytes.readBigUInt64LE(offset));
}

function nameIn(bytes: Buffer): string {
  return bytes.toString().replaceAll('\0', '');
}

/** The pages of one kind of a part, in the order of their rows. */
export function pagesOf(folder: string, part: string, kind: PageKind): readonly number[] {
  return usedPages(folder).flatMap((each) => (each.part === part && each.kind === kind ? [each.page] : []));
}

export function swapPages(path: string, a: number, b: number): void {
  const file = openSync(path, 'r+');
  try {
    const [first, second] = [Buffer.alloc(PAGE), Buffer.alloc(PAGE)];
    readSync(file, first, 0, PAGE, a * PAGE);
    readSync(file, second, 0, PAGE, b * PAGE);
    writeSync(file, second, 0, PAGE, a * PAGE);
    writeSync(file, first, 0, PAGE, b * PAGE);
  } finally {
    closeSync(file);
  }
}
