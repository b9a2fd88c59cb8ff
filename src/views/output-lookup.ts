import { LRUCache } from 'lru-cache';
import type { Output, StreamName } from '../../streams/internal.ts';
import { createLoopYield } from '../resilience/loop-yield.ts';
import type { KeptOutput, Outputs } from '../store/store.ts';

/** Observations in a span of the log, about two hours. */
const SPAN_SEQS = 16_384;
/** The most keys in the cache, about 20 MB. */
const MAX_KEYS = 200_000;

/** The seq of the last output of each key in a span. */
type Digest = ReadonlyMap<string, number>;

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
 * and remembers the keys of each span. Stored outputs never change, so only the first search is slow.
 */
export function createOutputLookup(outputs: Outputs, spanSeqs = SPAN_SEQS): OutputLookup {
  const digests = new LRUCache<string, Digest>({
    maxSize: MAX_KEYS,
    sizeCalculation: ({ size }) => Math.max(1, size),
  });
  const loop = createLoopYield();

  async function digestOf(stream: StreamName, span: number): Promise<Digest> {
    const name = `${stream} ${span}`;
    const known = digests.get(name);
    if (known !== undefined) return known;
    const digest = new Map<string, number>();
    for (const row of outputs.readBack(stream, (span + 1) * spanSeqs - 1)) {
      if (row.seq < span * spanSeqs) break;
      const key = keyOf(row);
      if (!digest.has(key)) digest.set(key, row.seq);
      if (loop.isDue()) await loop.yield();
    }
    digests.set(name, digest);
    return digest;
  }

  /** Undefined when the output has been pruned meanwhile. */
  function outputAt(stream: StreamName, seq: number, key: string): Output | undefined {
    for (const row of outputs.readBack(stream, seq)) {
      if (row.seq < seq) return undefined;
      if (keyOf(row) === key) return outputOf(row);
    }
    return undefined;
  }

  return {
    async find(stream, keys, { seq, floorSeq }) {
      const wanted = new Set(keys);
      const found: Output[] = [];
      const spanOfSeq = Math.floor(seq / spanSeqs);
      if (wanted.size === 0) return found;
      for (const row of outputs.readBack(stream, seq)) {
        if (row.seq < Math.max(floorSeq, spanOfSeq * spanSeqs)) break;
        if (wanted.delete(keyOf(row))) found.push(outputOf(row));
        if (wanted.size === 0) return found;
        if (loop.isDue()) await loop.yield();
      }
      for (let span = spanOfSeq - 1; span >= Math.floor(floorSeq / spanSeqs) && wanted.size > 0; span--) {
        const digest = await digestOf(stream, span);
        for (const key of wanted) {
          const last = digest.get(key);
          if (last === undefined || last < floorSeq) continue;
          wanted.delete(key);
          const output = outputAt(stream, last, key);
          if (output !== undefined) found.push(output);
          if (loop.isDue()) await loop.yield();
        }
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
