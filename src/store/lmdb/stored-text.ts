import { crc32 } from 'node:zlib';
import { StoreError } from '../../errors.ts';

/** JSON as this store wrote it; `what` names it in the error for a row that is not readable. */
export function parseStored<T>(text: string, what: string): T {
  try {
    // Only texts that the store itself wrote are read back.
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new StoreError('STORE_CORRUPT', `${what} is not readable`, { cause });
  }
}

/** A value as `<checksum> <JSON>`; `seed` ties the checksum to the row's place. */
export function encodeChecked(value: unknown, seed = 0): string {
  const text = JSON.stringify(value);
  return `${crc32(text, seed)} ${text}`;
}

export function decodeChecked<T>(row: string, what: string, seed = 0): T {
  const space = row.indexOf(' ');
  const text = row.slice(space + 1);
  if (row.slice(0, space) !== String(crc32(text, seed))) {
    throw new StoreError('STORE_CORRUPT', `${what} does not match its checksum`);
  }
  return parseStored<T>(text, what);
}
