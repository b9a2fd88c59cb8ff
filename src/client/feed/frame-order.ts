import type { Cursor, DataFrame } from '../wire.ts';

/**
 * What a frame is to a reader at a place: the `next` one; one he already `known`s; everything `anew`, from another
 * place on; or one that came over a `gap`.
 */
export type Verdict = 'next' | 'known' | 'anew' | 'gap';

export function judge(cursor: Cursor | undefined, frame: DataFrame): Verdict {
  const { epoch, seq } = frame;
  if (frame.type === 'snapshot') {
    if (cursor === undefined) return 'next';
    return cursor.epoch === epoch && cursor.seq === seq ? 'known' : 'anew';
  }
  if (cursor === undefined || cursor.epoch !== epoch) return 'gap';
  if (seq <= cursor.seq) return 'known';
  // What a slow reader is sent stands for the frames before it too, those he has seen among them.
  return frame.prev_seq <= cursor.seq ? 'next' : 'gap';
}
