import { promisify } from 'node:util';
import { brotliCompress, brotliDecompressSync, constants } from 'node:zlib';
import { StoreError } from '../../errors.ts';
import type { FeedRow } from '../store.ts';

/**
 * Many rows of a topic as one value. Frames of the same key differ in little, so a pack is a fortieth of its rows,
 * given a window that reaches back to the frame before: those of a whole topic do not fit into the 32 KB of deflate.
 */

const compress = promisify(brotliCompress);
const OPTIONS = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
};

/** The seq of the first row and the time of the last, as two doubles. */
const HEAD_BYTES = 16;
/** Rows are JSON and line feeds. */
const BETWEEN_ROWS = '\0';

interface PackHead {
  readonly firstSeq: number;
  readonly lastAt: number;
}

export function headOf(pack: Buffer): PackHead {
  return { firstSeq: pack.readDoubleBE(0), lastAt: pack.readDoubleBE(8) };
}

/** Rows of one topic, in order. */
export async function packRows(rows: readonly FeedRow[]): Promise<Buffer> {
  const text = rows.map((row) => `${row.seq} ${storedText(row)}`).join(BETWEEN_ROWS);
  const bytes = await compress(text, OPTIONS);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeDoubleBE(rows[0]?.seq ?? 0, 0);
  head.writeDoubleBE(rows.at(-1)?.at ?? 0, 8);
  return Buffer.concat([head, bytes]);
}

export function unpackRows(topic: string, pack: Buffer): readonly FeedRow[] {
  let text: string;
  try {
    text = brotliDecompressSync(pack.subarray(HEAD_BYTES)).toString();
  } catch (cause) {
    throw new StoreError('STORE_CORRUPT', `a pack of the feed's ${topic} is not readable`, { cause });
  }
  return text.split(BETWEEN_ROWS).map((row) => {
    const [seq, value] = split(row);
    return rowOf(topic, Number(seq), value);
  });
}

/** How a row is stored: `<at> <text>`. */
export function storedText({ at, text }: FeedRow): string {
  return `${at} ${text}`;
}

export function rowOf(topic: string, seq: number, value: string): FeedRow {
  const [at, text] = split(value);
  return { topic, seq, at: Number(at), text };
}

function split(text: string): readonly [string, string] {
  const space = text.indexOf(' ');
  return [text.slice(0, space), text.slice(space + 1)];
}
