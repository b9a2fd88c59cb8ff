import { DAY_MS, GRAPH_VERSION } from '../../streams/internal.ts';
import { PRUNED_BEFORE_NOTE, type Store } from '../store/store.ts';

/** Blocks and rows dropped per step. A larger transaction would delay other writes. */
const STEP = 500;

/**
 * Drops a few blocks of the log and rows of the outputs that are older than `retentionDays`. The log is always cut right
 * after a checkpoint, so that the rest can be replayed and verified. Resolves to whether there may be more to drop.
 */
export async function pruneStep(store: Store, retentionDays: number, now: number): Promise<boolean> {
  const { journal, outputs, checkpoints } = store;
  const oldest = now - retentionDays * DAY_MS;
  const cut = checkpoints
    .list()
    .filter(({ at, graphVersion }) => graphVersion === GRAPH_VERSION && at < oldest)
    .at(-1);
  if (cut === undefined) return false;

  // Noted first, so that a verification that runs meanwhile does not expect these rows.
  if (store.notes.get(PRUNED_BEFORE_NOTE) !== String(cut.seq + 1)) {
    await store.notes.set(PRUNED_BEFORE_NOTE, String(cut.seq + 1));
  }
  const dropped = (await outputs.prune(cut.seq + 1, STEP)) + (await journal.prune(cut.seq + 1, STEP));
  if (dropped > 0) return true;
  for (const { seq } of checkpoints.list()) if (seq < cut.seq) await checkpoints.remove(seq);
  return false;
}
