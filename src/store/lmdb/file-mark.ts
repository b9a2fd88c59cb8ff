import { closeSync, openSync, readSync } from 'node:fs';

/** What LMDB writes at the start of its file, after the head of the first page. */
const MARK = 0xbeefc0de;
const MARK_AT = 24;

/** LMDB ends the process when it is given a file that does not begin as its own do. */
export function beginsAsDatabase(file: string): boolean {
  const bytes = Buffer.alloc(MARK_AT + 4);
  const opened = openSync(file, 'r');
  try {
    return readSync(opened, bytes) === bytes.length && bytes.readUInt32LE(MARK_AT) === MARK;
  } finally {
    closeSync(opened);
  }
}
