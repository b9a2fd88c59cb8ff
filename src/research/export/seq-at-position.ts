import { HOUR_MS } from '../../../streams/internal.ts';
import { createLoopYield, UNATTENDED_TURN_MS } from '../../resilience/loop-yield.ts';
import type { Store } from '../../store/store.ts';
import { isReached, type LogPosition } from '../log-position.ts';

/** Seq of the first observation at or after the position; one past the head when there is none yet. */
export async function seqAtPosition(
  store: Store,
  position: LogPosition,
  signal: AbortSignal,
): Promise<number> {
  if (position.by === 'seq') return position.seq;
  const { journal, checkpoints } = store;
  const { head, tail } = journal;
  // A wall clock may have been set back, so a checkpoint counts by its time only when it lies well before.
  const before = checkpoints.list().findLast(({ at }) => at + HOUR_MS < position.at)?.seq ?? 0;
  const loop = createLoopYield(UNATTENDED_TURN_MS);
  for (const observation of journal.read(Math.max(before, tail))) {
    if (isReached(position, observation)) return observation.seq;
    if (observation.seq >= head) break;
    if (loop.isDue()) await loop.yield();
    signal.throwIfAborted();
  }
  return head + 1;
}
