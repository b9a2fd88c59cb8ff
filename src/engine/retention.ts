import { DAY_MS, GRAPH_VERSION } from '../../streams/internal.ts';
import { PRUNED_BEFORE_NOTE, type Store } from '../store/store.ts';

/** Blocks and rows dropped per step: a large transaction would delay other writes, and small ones free pages as well. */
const STEP = 500;

/**
 * Drops one small step of the log and the outputs older than `retentionDays`. The log is only ever cut right
 * behind a checkpoint, so that the rest can still be replayed and verified. Resolves to whether there is more to drop.
 */
export async function pruneStep(store: Store, retentionDays: number, now: number): Promise<boolean> {
  const { journal, outputs, checkpoints } = store;
  const oldest = now - retentionDays * DAY_MS;
  const cut = checkpoints
    .list()
    .filter(({ at, graphVersion }) => graphVersion === GRAPH_VERSION && at < oldest)
    .at(-1);
  if (cut === undefined) return false;

  // Noted first, so that a verification running meanwhile does not expect the rows being dropped.
  if (store.notes.get(PRUNED_BEFORE_NOTE) !== String(cut.seq + 1)) {
    await store.notes.set(PRUNED_BEFORE_NOTE, String(cut.seq + 1));
  }
  const dropped = (await outputs.prune(cut.seq + 1, STEP)) + (await journal.prune(cut.seq + 1, STEP));
  if (dropped > 0) return true;
  for (const { seq } of checkpoints.list()) if (seq < cut.seq) await checkpoints.remove(seq);
  return false;
}
