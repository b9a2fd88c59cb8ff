import { LRUCache } from 'lru-cache';
import type { StoredFrames } from '../../store/store.ts';
import { decodeFrame } from './frame-codec.ts';
import type { Frame } from './frames.ts';
import type { TopicState } from './numbering.ts';

/** Frames of a topic that are read together. */
const FRAMES_PER_READ = 64;
/** Characters of frames that are kept for the next readers. */
const MAX_READ_CHARS = 1_024 * 1_024;

/** Reads published frames again. */
interface FrameReads {
  /** The oldest seq that a reader can resume from without a gap. */
  oldestCursor(state: TopicState): number;
  /** The next published frames after `seq`: some, if there are any. */
  read(state: TopicState, seq: number): readonly Frame[];
  /** A published frame; undefined when it is no longer on disk. */
  frame(state: TopicState, seq: number): Frame | undefined;
  /** Forgets what is kept for the next readers. */
  clear(): void;
}

export function createFrameReads(window: Pick<StoredFrames, 'oldest' | 'read'>): FrameReads {
  // Many readers reconnect after a restart and need the same frames, and each of them takes several steps through them.
  const recentReads = new LRUCache<string, { readonly frames: readonly Frame[]; readonly chars: number }>({
    maxSize: MAX_READ_CHARS,
    sizeCalculation: ({ chars }) => Math.max(1, chars),
  });
  return {
    oldestCursor({ topic, publishedSeq }) {
      const oldest = window.oldest(topic.storedAs);
      return oldest === undefined ? publishedSeq : Math.min(publishedSeq, oldest - 1);
    },
    read({ topic, publishedSeq }, seq) {
      // Readers that are near each other read the same blocks.
      const after = seq - (seq % FRAMES_PER_READ);
      const name = `${topic.storedAs} ${after} ${Math.min(publishedSeq, after + FRAMES_PER_READ)}`;
      let block = recentReads.get(name);
      if (block === undefined) {
        const rows = window
          .read(topic.storedAs, after, FRAMES_PER_READ)
          .filter((row) => row.seq <= publishedSeq);
        block = {
          frames: rows.map((row) => decodeFrame(topic, row)),
          chars: rows.reduce((sum, { text }) => sum + text.length, 0),
        };
        recentReads.set(name, block);
      }
      return block.frames.filter((frame) => frame.seq > seq);
    },
    frame({ topic }, seq) {
      const name = `${topic.storedAs} at ${seq}`;
      const known = recentReads.get(name);
      if (known !== undefined) return known.frames[0];
      const [row] = window.read(topic.storedAs, seq - 1, 1);
      if (row?.seq !== seq) return undefined;
      const frame = decodeFrame(topic, row);
      recentReads.set(name, { frames: [frame], chars: row.text.length });
      return frame;
    },
    clear: () => recentReads.clear(),
  };
}
