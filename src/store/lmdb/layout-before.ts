import { crc32 } from 'node:zlib';
import type { Key } from '#database';
import { numberedRow } from './output-mark.ts';

/** Reads rows of the layout before ours, which had checksums on three kinds of rows and no numbers in histories. */

const HEX_DIGITS = 8;

/** What a row of ours holds; undefined for a row that does not match its checksum. `number` counts the rows of a part. */
export function valueBefore(
  part: string,
  key: Key,
  stored: string | Buffer,
  number: number,
): string | Buffer | undefined {
  if (typeof stored !== 'string') return stored;
  switch (part) {
    case 'journal': {
      const text = stored.slice(HEX_DIGITS);
      const checksum = crc32(text, Number(key) % 2 ** 32)
        .toString(16)
        .padStart(HEX_DIGITS, '0');
      return checksum === stored.slice(0, HEX_DIGITS) ? text : undefined;
    }
    case 'waitlist':
      return afterChecksum(stored, Number(key));
    case 'payments':
      return afterChecksum(stored, 0);
    default:
      return part.startsWith('history.') ? numberedRow(number, stored) : stored;
  }
}

function afterChecksum(stored: string, seed: number): string | undefined {
  const space = stored.indexOf(' ');
  const text = stored.slice(space + 1);
  return stored.slice(0, space) === String(crc32(text, seed)) ? text : undefined;
}
