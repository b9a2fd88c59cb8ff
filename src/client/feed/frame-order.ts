import type { Cursor, DataFrame } from '../wire.ts';

/**
 * How a frame fits the reader's cursor: it is the `next` one, a `duplicate`, a `restart` from another position, or
 * it comes after a `gap`.
 */
export type FrameOrder = 'next' | 'duplicate' | 'restart' | 'gap';

export function orderOf(cursor: Cursor | undefined, frame: DataFrame): FrameOrder {
  const { epoch, seq } = frame;
  if (frame.type === 'snapshot') {
    if (cursor === undefined) return 'next';
    return cursor.epoch === epoch && cursor.seq === seq ? 'duplicate' : 'restart';
  }
  if (cursor === undefined || cursor.epoch !== epoch) return 'gap';
  if (seq <= cursor.seq) return 'duplicate';
  // A frame for a slow reader replaces earlier ones, and the reader may have received some of these.
  return frame.prev_seq <= cursor.seq ? 'next' : 'gap';
}
