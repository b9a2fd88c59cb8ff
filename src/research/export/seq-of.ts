import { HOUR_MS } from '../../../streams/internal.ts';
import type { Store } from '../../store/store.ts';
import { isReached, type Moment } from '../moment.ts';
import { createBreath } from '../yield-to-loop.ts';

/** Seq of the first observation at or after the moment; one past the head when there is none yet. */
export async function seqOf(store: Store, moment: Moment, signal: AbortSignal): Promise<number> {
  if (moment.by === 'seq') return moment.seq;
  const { journal, checkpoints } = store;
  const { head, tail } = journal;
  // A wall clock may have been set back, so a checkpoint counts by its time only when it lies well before.
  const before = checkpoints.list().findLast(({ at }) => at + HOUR_MS < moment.at)?.seq ?? 0;
  const breath = createBreath();
  for (const observation of journal.read(Math.max(before, tail))) {
    if (isReached(moment, observation)) return observation.seq;
    if (observation.seq >= head) break;
    if (breath.isDue()) await breath.take();
    signal.throwIfAborted();
  }
  return head + 1;
}
