import type { Fact, Observation } from '../../../streams/internal.ts';
import type { Journal } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';

/** A step of reading ends at whichever comes first, so that a step stays short and small: requests are answered in between. */
const BLOCKS_PER_STEP = 100;
const CHARS_PER_STEP = 400_000;

/**
 * Fewer blocks backwards, as such a step is taken while requests are being answered; and one at first, as what is looked for
 * is mostly near.
 */
const MOST_BLOCKS_PER_STEP_BACK = 16;

/** Of so many blocks it is known when they begin. Looking for a time asks for those of the same ones again and again. */
const KNOWN_BEGINS = 4_096;

type PackedObservation = [receivedAt: number, fact: Fact, aheadMs?: number];

function encodeBlock(observations: readonly Observation[]): string {
  return JSON.stringify(
    observations.map(
      ({ receivedAt, fact, aheadMs }): PackedObservation =>
        aheadMs === undefined ? [receivedAt, fact] : [receivedAt, fact, aheadMs],
    ),
  );
}

interface Block {
  readonly key: number;
  readonly value: string;
}

/** When its first observation was received, without reading the rest. */
function beginOf({ value }: Block): number {
  return Number(value.slice('[['.length, value.indexOf(',')));
}

export function decodeBlock({ key, value }: Block): readonly Observation[] {
  const rows = parseStored<PackedObservation[]>(value, `the log block at seq ${key}`);
  return rows.map(([receivedAt, fact, aheadMs], index) => {
    const seq = key + index;
    return aheadMs === undefined ? { seq, receivedAt, fact } : { seq, receivedAt, aheadMs, fact };
  });
}

export function openJournal({ durable, damage, root, journal, isReadOnly }: Environment): Journal {
  const firstKey = (range: { start?: number; reverse?: boolean; exclusiveStart?: boolean } = {}) => {
    for (const key of journal.getKeys({ ...range, limit: 1 })) return key;
    return 0;
  };

  /** The blocks from key `start` on, as many as one step takes. The cursor is closed on return. */
  function step(start: number): Block[] {
    const blocks: Block[] = [];
    let chars = 0;
    for (const { key, value } of journal.inspect({ start, limit: BLOCKS_PER_STEP })) {
      if (value === undefined) {
        // What comes before it is handed out first.
        if (blocks.length > 0) break;
        throw damage('journal', `the log block at seq ${key} does not match its checksum`);
      }
      blocks.push({ key, value });
      chars += value.length;
      if (chars >= CHARS_PER_STEP) break;
    }
    return blocks;
  }

  function lastSeq(): number {
    const key = firstKey({ reverse: true });
    const [block] = key === 0 ? [] : step(key);
    return block === undefined ? 0 : (decodeBlock(block).at(-1)?.seq ?? 0);
  }

  const begins = new Map<number, number>();

  /** When the first observation of a block was received; undefined when the block is no longer kept. */
  function beginAt(key: number): number | undefined {
    const known = begins.get(key);
    if (known !== undefined) return known;
    const value = journal.get(key);
    if (value === undefined) return undefined;
    const begin = beginOf({ key, value });
    if (begins.size >= KNOWN_BEGINS) begins.clear();
    begins.set(key, begin);
    return begin;
  }

  let head = lastSeq();
  let tail = firstKey();
  let isAppending = false;

  function checkContinues(observations: readonly Observation[]): void {
    if (isAppending) throw new RangeError('append to the log while another append is under way');
    for (const [index, { seq }] of observations.entries()) {
      if (seq !== head + 1 + index) {
        throw new RangeError(`append of seq ${seq} to the log, expected ${head + 1 + index}`);
      }
    }
  }

  return {
    // Another process may be writing what a read-only store reads.
    get head() {
      return isReadOnly ? lastSeq() : head;
    },
    get tail() {
      return isReadOnly ? firstKey() : tail;
    },

    async append(observations) {
      checkContinues(observations);
      const first = observations[0];
      if (first === undefined) return;
      const block = encodeBlock(observations);
      isAppending = true;
      try {
        const size = { rows: 0, bytes: Buffer.byteLength(block) };
        await durable(() => journal.putLast(first.seq, block), `the log at seq ${first.seq}`, size);
        head += observations.length;
        if (tail === 0) tail = first.seq;
      } finally {
        isAppending = false;
      }
    },

    *read(fromSeq) {
      let next = Math.max(fromSeq, 1);
      let key = firstKey({ start: next, reverse: true }) || firstKey();
      for (;;) {
        const blocks = key === 0 ? [] : step(key);
        if (blocks.length === 0) return;
        for (const block of blocks) {
          // Seqs have no gaps, except that blocks before the tail may have been dropped meanwhile.
          const expected = Math.max(next, isReadOnly ? firstKey() : tail);
          if (block.key > expected) {
            throw damage('journal', `the log jumps from seq ${expected - 1} to ${block.key}`);
          }
          for (const observation of decodeBlock(block)) {
            if (observation.seq >= next) yield observation;
            key = observation.seq + 1;
          }
          next = Math.max(next, key);
        }
      }
    },

    *readBack(fromSeq) {
      let start = fromSeq;
      for (let limit = 1; ; limit = Math.min(2 * limit, MOST_BLOCKS_PER_STEP_BACK)) {
        const blocks = [...journal.getRange({ start, reverse: true, limit })];
        for (const block of blocks) {
          const observations = decodeBlock(block);
          const last = observations.at(-1)?.seq ?? 0;
          // The first block may end after `fromSeq`, which may lie after the head.
          if (last < Math.min(start, this.head)) {
            throw damage('journal', `the log jumps from seq ${last} to ${start + 1}`);
          }
          for (const observation of observations.toReversed()) {
            if (observation.seq <= fromSeq) yield observation;
          }
          start = block.key - 1;
        }
        if (blocks.length === 0) return;
      }
    },

    seqAt(at) {
      // Halves the seqs, not the blocks: each probe finds the block that its seq lies in.
      let low = firstKey();
      let high = this.head;
      let last = 0;
      while (low !== 0 && low <= high) {
        const key = firstKey({ start: Math.floor((low + high) / 2), reverse: true });
        const begin = beginAt(key);
        if (begin === undefined) return 0;
        if (begin <= at) {
          last = key;
          low = firstKey({ start: key + 1 });
        } else {
          high = key - 1;
        }
      }
      const value = last === 0 ? undefined : journal.get(last);
      const observations = value === undefined ? [] : decodeBlock({ key: last, value });
      const end = observations.at(-1)?.seq ?? 0;
      if (end !== 0 && end < this.head && !journal.has(end + 1)) {
        throw damage('journal', `the log has no block at seq ${end + 1}`);
      }
      return observations.findLast(({ receivedAt }) => receivedAt <= at)?.seq ?? 0;
    },

    async prune(beforeSeq, maxBlocks) {
      // The newest block always stays, so that the head and with it the next seq are never forgotten.
      const keys = [...journal.getKeys({ limit: maxBlocks + 1 })];
      const stale = keys.filter((_, index) => (keys[index + 1] ?? Number.POSITIVE_INFINITY) <= beforeSeq);
      if (stale.length === 0) return 0;
      const removal = () =>
        root.batch(() => {
          for (const key of stale) void journal.remove(key);
        });
      await durable(removal, 'the pruned log', { rows: stale.length, bytes: 0 });
      tail = firstKey();
      return stale.length;
    },
  };
}
