import { pipeline as connect, PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  brotliDecompressSync,
  constants,
  crc32,
  createBrotliCompress,
  createBrotliDecompress,
} from 'node:zlib';
import type { Checkpoint, Checkpoints } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';

/** Pieces small enough that freed pages of one checkpoint serve the next, whatever their lengths. */
const PART_BYTES = 64 * 1024;

/** Much longer than usual, as each piece that is compressed or read costs a turn of the event loop. */
const CHUNK_BYTES = 512 * 1024;

/** So many of them are decompressed, on another thread, ahead of the one that is being read. */
const PIECES_AHEAD = 16;

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 }, chunkSize: CHUNK_BYTES };

async function compress(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const compressor = createBrotliCompress(QUICK);
  const [bytes] = await Promise.all([buffer(compressor), pipeline(Readable.from(pieces), compressor)]);
  return bytes;
}

interface Header extends Omit<Checkpoint, 'state'> {
  readonly parts: number;
  readonly crc: number;
}

function split(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.subarray(at, at + PART_BYTES));
  return parts;
}

const LINE_FEED = 10;

/** Splits at line feeds alone. `readline` also splits at separators that JSON has inside of texts. */
async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let begun: Buffer[] = [];
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, from)) {
      const rest = piece.subarray(from, end);
      // Most lines lie within a piece, and are not copied.
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      from = end + 1;
    }
    if (from < piece.length) begun.push(piece.subarray(from));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}

export function openCheckpoints({ durable, damage, root, checkpoints, states }: Environment): Checkpoints {
  const toHeader = (text: string) => parseStored<Header>(text, 'a checkpoint');
  const partsOf = (seq: number) => states.getKeys({ start: [seq, 0], end: [seq + 1, 0] });

  /** The first header in order that belongs to the graph version. There are few checkpoints, so a walk is fine. */
  function first(graphVersion: number, range: { start?: number; reverse?: boolean }): Checkpoint | undefined {
    for (const { value } of checkpoints.getRange(range)) {
      const header = toHeader(value);
      if (header.graphVersion === graphVersion) return load(header);
    }
    return undefined;
  }

  function bytesOf({ seq, parts, crc }: Header): Buffer {
    const kept: Buffer[] = [];
    for (let part = 0; part < parts; part++) kept.push(states.get([seq, part]) ?? Buffer.alloc(0));
    const bytes = Buffer.concat(kept);
    if (crc32(bytes) === crc) return bytes;
    throw damage('states', `the checkpoint at seq ${seq} does not match its checksum`);
  }

  const unreadable = (seq: number, cause: unknown) =>
    damage('states', `the checkpoint at seq ${seq} is not readable`, cause);

  function load(header: Header): Checkpoint {
    const { seq, at, graphVersion } = header;
    const bytes = bytesOf(header);
    try {
      return { seq, at, graphVersion, state: brotliDecompressSync(bytes).toString() };
    } catch (cause) {
      throw unreadable(seq, cause);
    }
  }

  return {
    async save({ seq, at, graphVersion, state }) {
      const bytes = await compress(typeof state === 'string' ? [Buffer.from(state)] : state);
      const parts = split(bytes);
      const header: Header = { seq, at, graphVersion, parts: parts.length, crc: crc32(bytes) };
      const before = [...partsOf(seq)];
      const write = () =>
        root.batch(() => {
          for (const key of before) void states.remove(key);
          for (const [part, piece] of parts.entries()) void states.put([seq, part], piece);
          void checkpoints.put(seq, JSON.stringify(header));
        });
      const size = { rows: before.length + parts.length + 1, bytes: bytes.length };
      await durable(write, `the checkpoint at seq ${seq}`, size);
    },
    newest: (graphVersion, seq) =>
      first(graphVersion, { reverse: true, ...(seq !== undefined && { start: seq }) }),
    oldest: (graphVersion) => first(graphVersion, {}),
    async *lines(seq) {
      const text = checkpoints.get(seq);
      if (text === undefined) return;
      const bytes = bytesOf(toHeader(text));
      const input = createBrotliDecompress({ chunkSize: CHUNK_BYTES });
      input.end(bytes);
      try {
        // As objects, which are not joined to one.
        const ahead = new PassThrough({ readableObjectMode: true, readableHighWaterMark: PIECES_AHEAD });
        // An error reaches whoever reads the lines.
        yield* linesOf(connect(input, ahead, () => undefined));
      } catch (cause) {
        throw unreadable(seq, cause);
      }
    },
    list() {
      return Array.from(checkpoints.getRange(), ({ value }) => {
        const { seq, at, graphVersion } = toHeader(value);
        return { seq, at, graphVersion };
      });
    },
    async remove(seq) {
      const parts = [...partsOf(seq)];
      const removal = () =>
        root.batch(() => {
          for (const key of parts) void states.remove(key);
          void checkpoints.remove(seq);
        });
      const size = { rows: parts.length + 1, bytes: 0 };
      await durable(removal, `the removal of the checkpoint at seq ${seq}`, size);
    },
  };
}
