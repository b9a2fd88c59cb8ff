import { crc32 } from 'node:zlib';
import type { Fact, Observation } from '../../../streams/internal.ts';
import { StoreError } from '../../errors.ts';
import type { Journal } from '../store.ts';
import { describe } from '../system-error.ts';
import { type Environment, putLast } from './environment.ts';

/** A step of reading ends at whichever comes first, so that a step stays short and small. */
const BLOCKS_PER_STEP = 1_000;
const CHARS_PER_STEP = 4_000_000;

/** Fewer blocks backwards, as such a step is taken while requests are being answered. */
const BLOCKS_PER_STEP_BACK = 16;

const CHECKSUM_LENGTH = 8;

/** The checksum starts from the block's seq, so that a block under a wrong key is found out too. */
function checksum(firstSeq: number, text: string): string {
  return crc32(text, firstSeq % 2 ** 32)
    .toString(16)
    .padStart(CHECKSUM_LENGTH, '0');
}

function encodeBlock(firstSeq: number, observations: readonly Observation[]): string {
  const text = JSON.stringify(
    observations.map(({ receivedAt, fact, aheadMs }) =>
      aheadMs === undefined ? [receivedAt, fact] : [receivedAt, fact, aheadMs],
    ),
  );
  return checksum(firstSeq, text) + text;
}

interface Block {
  readonly key: number;
  readonly value: string;
}

/** When its first observation was received, without reading the rest. */
function beginOf({ value }: Block): number {
  return Number(value.slice(CHECKSUM_LENGTH + '[['.length, value.indexOf(',')));
}

function decodeBlock(firstSeq: number, block: string): readonly Observation[] {
  const text = block.slice(CHECKSUM_LENGTH);
  if (checksum(firstSeq, text) !== block.slice(0, CHECKSUM_LENGTH)) {
    throw new StoreError('STORE_CORRUPT', `the log block at seq ${firstSeq} does not match its checksum`);
  }
  try {
    // The checksum vouches that this text is what encodeBlock wrote.
    const rows = JSON.parse(text) as [number, Fact, number?][];
    return rows.map(([receivedAt, fact, aheadMs], index) => {
      const seq = firstSeq + index;
      return aheadMs === undefined ? { seq, receivedAt, fact } : { seq, receivedAt, aheadMs, fact };
    });
  } catch (cause) {
    throw new StoreError('STORE_CORRUPT', `the log block at seq ${firstSeq} is not readable`, { cause });
  }
}

export function openJournal({ durable, root, journal, isReadOnly }: Environment): Journal {
  const firstKey = (range: { start?: number; reverse?: boolean; exclusiveStart?: boolean } = {}) => {
    for (const key of journal.getKeys({ ...range, limit: 1 })) return key;
    return 0;
  };

  /** The blocks from key `start` on, as many as one step takes. The cursor is closed on return. */
  function step(start: number): Block[] {
    const blocks: Block[] = [];
    let chars = 0;
    try {
      for (const { key, value } of journal.getRange({ start, limit: BLOCKS_PER_STEP })) {
        blocks.push({ key, value });
        chars += value.length;
        if (chars >= CHARS_PER_STEP) break;
      }
    } catch (cause) {
      const at = (blocks.at(-1)?.key ?? start - 1) + 1;
      throw new StoreError('STORE_CORRUPT', `the log from seq ${at} on is not readable: ${describe(cause)}`, {
        cause,
      });
    }
    return blocks;
  }

  function lastSeq(): number {
    const key = firstKey({ reverse: true });
    const [block] = key === 0 ? [] : step(key);
    return block === undefined ? 0 : (decodeBlock(block.key, block.value).at(-1)?.seq ?? 0);
  }

  /** The block that `seq` lies in; undefined when it is no longer kept. */
  function blockOf(seq: number): Block | undefined {
    for (const block of journal.getRange({ start: seq, reverse: true, limit: 1 })) return block;
    return undefined;
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
      const block = encodeBlock(first.seq, observations);
      isAppending = true;
      try {
        await durable(putLast(journal, first.seq, block), `the log at seq ${first.seq}`);
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
            throw new StoreError('STORE_CORRUPT', `the log jumps from seq ${expected - 1} to ${block.key}`);
          }
          for (const observation of decodeBlock(block.key, block.value)) {
            if (observation.seq >= next) yield observation;
            key = observation.seq + 1;
          }
          next = Math.max(next, key);
        }
      }
    },

    *readBack(fromSeq) {
      let start = fromSeq;
      for (;;) {
        const blocks = [...journal.getRange({ start, reverse: true, limit: BLOCKS_PER_STEP_BACK })];
        for (const block of blocks) {
          const observations = decodeBlock(block.key, block.value);
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
      let last: Block | undefined;
      while (low !== 0 && low <= high) {
        const middle = Math.floor((low + high) / 2);
        const block = blockOf(middle);
        if (block === undefined) return 0;
        if (beginOf(block) <= at) {
          last = block;
          low = middle + 1;
        } else {
          high = block.key - 1;
        }
      }
      const observations = last ? decodeBlock(last.key, last.value) : [];
      return observations.findLast(({ receivedAt }) => receivedAt <= at)?.seq ?? 0;
    },

    async prune(beforeSeq, maxBlocks) {
      // The newest block always stays, so that the head and with it the next seq are never forgotten.
      const keys = [...journal.getKeys({ limit: maxBlocks + 1 })];
      const stale = keys.filter((_, index) => (keys[index + 1] ?? Number.POSITIVE_INFINITY) <= beforeSeq);
      if (stale.length === 0) return 0;
      const removal = root.batch(() => {
        for (const key of stale) void journal.remove(key);
      });
      await durable(removal, 'the pruned log');
      tail = firstKey();
      return stale.length;
    },
  };
}
