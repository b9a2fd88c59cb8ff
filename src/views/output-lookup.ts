import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Output, StreamName } from '../../streams/internal.ts';
import type { KeptOutput, Outputs } from '../store/store.ts';

/** The log is cut into spans of this many observations, some two hours each. */
const SPAN_SEQS = 16_384;
/** Keys remembered in all, some 20 MB; those used longest ago go first. */
const MAX_KEYS = 200_000;
/** Requests are answered on the same thread: none waits longer than this for a look into the past. */
const TURN_MS = 2;

/** By key, the seq of a stream's last output in a span. */
type Digest = ReadonlyMap<string, number>;

/** Finds a stream's last output of a key before an observation, without an index on disk. */
interface OutputLookup {
  /** The last output of each key up to `seq`, as far as there is one from `floorSeq` on. */
  find(
    stream: StreamName,
    keys: ReadonlySet<string>,
    range: { readonly seq: number; readonly floorSeq: number },
  ): Promise<readonly Output[]>;
}

/**
 * Walks back through the stored outputs and remembers the keys of every span it has passed: what is stored does not
 * change, so a walk is long only once.
 */
export function createOutputLookup(outputs: Outputs, spanSeqs = SPAN_SEQS): OutputLookup {
  const digests = new LRUCache<string, Digest>({
    maxSize: MAX_KEYS,
    sizeCalculation: ({ size }) => Math.max(1, size),
  });
  let turnStartedAt = 0;

  async function yieldToLoop(): Promise<void> {
    if (performance.now() - turnStartedAt < TURN_MS) return;
    await nextTurn();
    turnStartedAt = performance.now();
  }

  async function digestOf(stream: StreamName, span: number): Promise<Digest> {
    const name = `${stream} ${span}`;
    const known = digests.get(name);
    if (known !== undefined) return known;
    const digest = new Map<string, number>();
    for (const row of outputs.readBack(stream, (span + 1) * spanSeqs - 1)) {
      if (row.seq < span * spanSeqs) break;
      const key = keyOf(row);
      if (!digest.has(key)) digest.set(key, row.seq);
      await yieldToLoop();
    }
    digests.set(name, digest);
    return digest;
  }

  /** Undefined when it was dropped meanwhile. */
  function outputAt(stream: StreamName, seq: number, key: string): Output | undefined {
    for (const row of outputs.readBack(stream, seq)) {
      if (row.seq < seq) return undefined;
      if (keyOf(row) === key) return outputOf(row);
    }
    return undefined;
  }

  return {
    async find(stream, keys, { seq, floorSeq }) {
      turnStartedAt = performance.now();
      const wanted = new Set(keys);
      const found: Output[] = [];
      const spanOfSeq = Math.floor(seq / spanSeqs);
      if (wanted.size === 0) return found;
      for (const row of outputs.readBack(stream, seq)) {
        if (row.seq < Math.max(floorSeq, spanOfSeq * spanSeqs)) break;
        if (wanted.delete(keyOf(row))) found.push(outputOf(row));
        if (wanted.size === 0) return found;
        await yieldToLoop();
      }
      for (let span = spanOfSeq - 1; span >= Math.floor(floorSeq / spanSeqs) && wanted.size > 0; span--) {
        const digest = await digestOf(stream, span);
        for (const key of wanted) {
          const last = digest.get(key);
          if (last === undefined || last < floorSeq) continue;
          wanted.delete(key);
          const output = outputAt(stream, last, key);
          if (output !== undefined) found.push(output);
          await yieldToLoop();
        }
      }
      return found;
    },
  };
}

// What JSON.stringify makes of an output begins with these two.
const KEY = /^\{"stream":"[a-z]+","key":("(?:[^"\\]|\\.)*")/;

/** Without reading the record, which may have kilobytes. */
function keyOf(row: KeptOutput): string {
  const text = KEY.exec(row.json)?.[1];
  // A key is text in quotes, so that JSON of it is a string.
  return text === undefined ? outputOf(row).key : (JSON.parse(text) as string);
}

/** Each row is what JSON.stringify made of an output. */
function outputOf({ json }: KeptOutput): Output {
  return JSON.parse(json) as Output;
}
