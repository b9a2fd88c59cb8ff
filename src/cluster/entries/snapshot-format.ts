import * as z from 'zod';
import { BusError } from '../../bus/bus-error.ts';
import type { FeedPack } from '../../store/store.ts';

/**
 * What an edge starts from, in parts and in this order: the head; the latest outputs of kept streams by their seq, of posts
 * the newest of each account; the latest outputs of passing streams; the feed's topics, packs and rows; the end.
 */
export type SnapshotPart =
  | ({ readonly type: 'head' } & SnapshotHead)
  /** JSON texts of outputs. Those of one observation are in one part. */
  | { readonly type: 'kept' | 'passing'; readonly outputs: readonly string[] }
  | { readonly type: 'topics'; readonly topics: z.infer<typeof topics> }
  | ({ readonly type: 'pack' } & FeedPack)
  | { readonly type: 'rows'; readonly rows: z.infer<typeof rows> };

export interface SnapshotHead {
  /** Of the cluster. */
  readonly epoch: string;
  /** All outputs of observations up to this seq are included. */
  readonly outputsUpTo: number;
  /** All frames of observations up to this seq are included. */
  readonly feedUpTo: number;
}

const VERSION = 1;

/** The byte that a part begins with; then come the length of its content in four bytes, and the content. */
const KINDS = { head: 1, kept: 2, passing: 3, topics: 4, pack: 5, rows: 6, end: 7 } as const;
type Kind = keyof typeof KINDS;
const KIND_OF = new Map<number, string>(Object.entries(KINDS).map(([kind, byte]) => [byte, kind]));
const HEAD_BYTES = 5;

const seq = z.int().min(0);
const head = z.strictObject({ epoch: z.string(), outputsUpTo: seq, feedUpTo: seq });
const texts = z.array(z.string());
const topics = z.array(z.strictObject({ topic: z.string(), seq, keys: z.array(z.string()) }));
const rows = z.array(z.strictObject({ topic: z.string(), seq, at: z.number(), text: z.string() }));
const packName = z.tuple([z.string(), seq]);

/** In chunks, as the parts come. */
export function* encodeSnapshot(parts: Iterable<SnapshotPart>): Iterable<Uint8Array> {
  yield Uint8Array.of(VERSION);
  let count = 0;
  for (const part of parts) {
    count += 1;
    yield encoded(part.type, contentOf(part));
  }
  yield encoded('end', Buffer.from(String(count)));
}

function contentOf(part: SnapshotPart): Buffer {
  switch (part.type) {
    case 'head': {
      const { type: _, ...fields } = part;
      return Buffer.from(JSON.stringify(fields));
    }
    case 'kept':
    case 'passing':
      return Buffer.from(JSON.stringify(part.outputs));
    case 'topics':
      return Buffer.from(JSON.stringify(part.topics));
    case 'rows':
      return Buffer.from(JSON.stringify(part.rows));
    case 'pack':
      return Buffer.concat([Buffer.from(`${JSON.stringify([part.topic, part.seq])}\n`), part.bytes]);
  }
}

function encoded(kind: Kind, content: Buffer): Uint8Array {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + content.length);
  bytes[0] = KINDS[kind];
  bytes.writeUInt32BE(content.length, 1);
  content.copy(bytes, HEAD_BYTES);
  return bytes;
}

/** Throws `BUS_LAYOUT` for bytes of another version, and `BUS_DAMAGED` where they are damaged or cut off. */
export function* decodeSnapshot(bytes: Uint8Array): Iterable<SnapshotPart> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (all[0] === undefined) throw damaged();
  if (all[0] !== VERSION) {
    throw new BusError('BUS_LAYOUT', `a snapshot has version ${all[0]}, and this program reads ${VERSION}`);
  }
  let count = 0;
  for (let at = 1; at + HEAD_BYTES <= all.length; ) {
    const kind = KIND_OF.get(all[at] ?? 0);
    const from = at + HEAD_BYTES;
    const to = from + all.readUInt32BE(at + 1);
    if (kind === undefined || to > all.length) throw damaged();
    const content = all.subarray(from, to);
    if (kind === 'end') {
      if (content.toString() !== String(count) || to !== all.length) throw damaged();
      return;
    }
    yield decoded(kind, content);
    count += 1;
    at = to;
  }
  throw damaged();
}

function decoded(kind: string, content: Buffer): SnapshotPart {
  switch (kind) {
    case 'head':
      return { type: 'head', ...read(head, content) };
    case 'kept':
    case 'passing':
      return { type: kind, outputs: read(texts, content) };
    case 'topics':
      return { type: 'topics', topics: read(topics, content) };
    case 'rows':
      return { type: 'rows', rows: read(rows, content) };
    case 'pack': {
      const end = content.indexOf('\n');
      const [topic, last] = read(packName, content.subarray(0, Math.max(0, end)));
      return { type: 'pack', topic, seq: last, bytes: content.subarray(end + 1) };
    }
    default:
      throw damaged();
  }
}

function read<T>(schema: z.ZodType<T>, content: Buffer): T {
  try {
    return schema.parse(JSON.parse(content.toString()));
  } catch (cause) {
    throw damaged(cause);
  }
}

function damaged(cause?: unknown): BusError {
  return new BusError('BUS_DAMAGED', 'a snapshot is not what an engine writes', { cause });
}
