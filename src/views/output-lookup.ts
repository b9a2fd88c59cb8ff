import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Output, StreamName } from '../../streams/internal.ts';
import { createLoopYield } from '../resilience/loop-yield.ts';
import type { KeptOutput, Outputs } from '../store/store.ts';
import { type PackedNumbers, packNumbers } from './packed-numbers.ts';

/** Observations in a span of the log: half an hour with two accounts, some seconds with hundreds. */
const SPAN_SEQS = 4_096;
/** The most entries in the cache, 24 MB. */
const MAX_ENTRIES = 3_000_000;
/** An empty digest takes as much memory as so many entries. */
const EMPTY_ENTRIES = 64;

/** Where the outputs of a stream are in a span. */
interface Digest {
  /** How many observations after the beginning of the span the last output is whose key has such a hash. */
  readonly places: PackedNumbers;
  /** The last span before it that has any; -1 if none has. */
  readonly spanBefore: number;
}

interface LookupOptions {
  readonly spanSeqs?: number;
  /** A number below 2^32. Keys may share one. */
  readonly hashOf?: (key: string) => number;
}

interface OutputLookup {
  /** The last output of each key from `floorSeq` to `seq`, if there is one. */
  find(
    stream: StreamName,
    keys: ReadonlySet<string>,
    range: { readonly seq: number; readonly floorSeq: number },
  ): Promise<readonly Output[]>;
}

/**
 * Finds the last output of a key before an observation without an index on disk: it reads the stored outputs backwards
 * and remembers where the keys of each span are, by hashes, as with many accounts they are millions. Stored outputs never
 * change, so only the first search is slow.
 */
export function createOutputLookup(
  outputs: Outputs,
  { spanSeqs = SPAN_SEQS, hashOf = crc32 }: LookupOptions = {},
): OutputLookup {
  const digests = new LRUCache<string, Digest>({
    maxSize: MAX_ENTRIES,
    sizeCalculation: ({ places }) => EMPTY_ENTRIES + places.size,
  });
  const loop = createLoopYield();
  const spanOf = (seq: number) => Math.floor(seq / spanSeqs);
  const firstOf = (span: number) => span * spanSeqs;
  const lastOf = (span: number) => firstOf(span + 1) - 1;

  async function digestOf(stream: StreamName, span: number): Promise<Digest> {
    const name = `${stream} ${span}`;
    const known = digests.get(name);
    if (known !== undefined) return known;
    const places = new Map<number, number>();
    let spanBefore = -1;
    for (const row of outputs.readBack(stream, lastOf(span))) {
      if (row.seq < firstOf(span)) {
        spanBefore = spanOf(row.seq);
        break;
      }
      const hash = hashOf(keyOf(row));
      if (!places.has(hash)) places.set(hash, row.seq - firstOf(span));
      if (loop.isDue()) await loop.yield();
    }
    const digest = { places: packNumbers(places), spanBefore };
    digests.set(name, digest);
    return digest;
  }

  /** Undefined when those of the observation are of other keys with the same hash, or have been pruned meanwhile. */
  function outputAt(stream: StreamName, seq: number, key: string): Output | undefined {
    for (const row of outputs.readBack(stream, seq)) {
      if (row.seq < seq) return undefined;
      if (keyOf(row) === key) return outputOf(row);
    }
    return undefined;
  }

  async function lastIn(stream: StreamName, span: number, key: string): Promise<Output | undefined> {
    for (const row of outputs.readBack(stream, lastOf(span))) {
      if (row.seq < firstOf(span)) return undefined;
      if (keyOf(row) === key) return outputOf(row);
      if (loop.isDue()) await loop.yield();
    }
    return undefined;
  }

  return {
    async find(stream, keys, { seq, floorSeq }) {
      const wanted = new Set(keys);
      const found: Output[] = [];
      if (wanted.size === 0) return found;
      for (const row of outputs.readBack(stream, seq)) {
        if (row.seq < Math.max(floorSeq, firstOf(spanOf(seq)))) break;
        if (wanted.delete(keyOf(row))) found.push(outputOf(row));
        if (wanted.size === 0) return found;
        if (loop.isDue()) await loop.yield();
      }
      const hashes = Array.from(wanted, (key) => [key, hashOf(key)] as const);
      for (let span = spanOf(seq) - 1; span >= spanOf(floorSeq) && wanted.size > 0; ) {
        const { places, spanBefore } = await digestOf(stream, span);
        for (const [key, hash] of hashes) {
          const place = wanted.has(key) ? places.get(hash) : undefined;
          if (place === undefined) continue;
          const output = outputAt(stream, firstOf(span) + place, key) ?? (await lastIn(stream, span, key));
          if (loop.isDue()) await loop.yield();
          if (output === undefined || output.seq < floorSeq) continue;
          wanted.delete(key);
          found.push(output);
        }
        span = spanBefore;
      }
      return found;
    },
  };
}

// The JSON of an output begins with these two fields.
const KEY = /^\{"stream":"[a-z]+","key":("(?:[^"\\]|\\.)*")/;

/** The key of a stored output, without parsing the record, which may have kilobytes. */
export function keyOf(row: KeptOutput): string {
  const text = KEY.exec(row.json)?.[1];
  // The expression matches a JSON string.
  return text === undefined ? outputOf(row).key : (JSON.parse(text) as string);
}

/** A row holds the JSON of an output. */
export function outputOf({ json }: KeptOutput): Output {
  return JSON.parse(json) as Output;
}
