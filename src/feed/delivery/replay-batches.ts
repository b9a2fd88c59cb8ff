import { LRUCache } from 'lru-cache';
import type { Audience } from '../../views/audience.ts';
import type { PublishedFrames } from '../log/frame-log.ts';
import { type Frame, updateText } from '../log/frames.ts';
import type { TopicState } from '../log/numbering.ts';
import { batchOf, bytesOf, type FrameBatch } from './frame-batch.ts';

/** The most that a reader that is behind is sent in one step, but for the frame that passes it. */
const CHARS_PER_STEP = 32 * 1_024;
/** Bytes of steps that are kept for the next readers, as text and as they are sent. */
const MAX_KEPT_BYTES = 2 * 1_024 * 1_024;

/** The next frames for every reader that is at the same place. */
export interface ReplayStep {
  readonly batch: FrameBatch;
  /** Of the last frame. */
  readonly seq: number;
  /** Of the texts. */
  readonly bytes: number;
}

/** Steps through the past, each read and rendered once for all readers that take it one after the other. */
interface ReplayBatches {
  /** The next frames after `seq`; undefined when none is on disk. */
  after(state: TopicState, seq: number, audience: Audience): ReplayStep | undefined;
  /** Lets go of what is kept for the next readers. */
  clear(): void;
}

export function createReplayBatches(log: Pick<PublishedFrames, 'epoch' | 'read'>): ReplayBatches {
  const kept = new LRUCache<string, ReplayStep>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => 2 * bytes,
  });

  return {
    after(state, seq, audience) {
      const name = `${state.topic.storedAs} ${seq} ${audience.name}`;
      const known = kept.get(name);
      if (known !== undefined) return known;
      // It stays right when more is published: what follows it is a step of its own.
      const step = stepThrough(log.epoch, log.read(state, seq), seq, audience);
      if (step !== undefined) kept.set(name, step);
      return step;
    },
    clear: () => kept.clear(),
  };
}

/** The first of these frames, for a reader that was last sent `sentSeq`. */
export function stepThrough(
  epoch: string,
  frames: Iterable<Frame>,
  sentSeq: number,
  audience: Audience,
): ReplayStep | undefined {
  const texts: string[] = [];
  const seqs: number[] = [];
  let seq = sentSeq;
  let length = 0;
  for (const frame of frames) {
    if (length >= CHARS_PER_STEP) break;
    const text = updateText(epoch, frame, seq, audience);
    texts.push(text);
    seqs.push(frame.seq);
    length += text.length;
    seq = frame.seq;
  }
  return texts.length === 0 ? undefined : { batch: batchOf(texts, seqs), seq, bytes: bytesOf(texts) };
}
