import { DAY_MS, GRAPH_VERSION, HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import { PRUNED_BEFORE_NOTE, type Store } from '../store/store.ts';

/** Blocks and rows dropped per step. A larger transaction would delay other writes. */
const STEP = 500;
/** From the start of the process to its first pass, and from one pass to the next. */
const FIRST_PASS_MS = 10 * MINUTE_MS;
const PASS_MS = HOUR_MS;

export interface PruneReport {
  readonly type: 'pruned';
  /** The log now begins with this observation. */
  readonly fromSeq: number;
  /** When the oldest and the newest observation that were dropped had been received, UTC ms. */
  readonly firstAt: number;
  readonly lastAt: number;
}

interface RetentionDeps {
  readonly store: Store;
  readonly retentionDays: number;
  /** Ms of a clock that never steps. */
  readonly mono: () => number;
  /** UTC ms when calendar, machine and world agree on it; undefined while they do not, and nothing is dropped. */
  readonly agreedNow: () => number | undefined;
  readonly isStopping: () => boolean;
  readonly report: (report: PruneReport) => void;
}

/**
 * Drops what is older than `retentionDays` from log and outputs, a day's worth in a pass and at most a pass an hour. So
 * a calendar that was set wrong, and that everybody agrees with, costs little before somebody notices.
 */
export function createRetention(deps: RetentionDeps): () => Promise<void> {
  const { store, retentionDays, mono, agreedNow, isStopping, report } = deps;
  let nextPassAt = mono() + FIRST_PASS_MS;
  return async () => {
    if (mono() < nextPassAt) return;
    const now = agreedNow();
    if (now === undefined) return;
    nextPassAt = mono() + PASS_MS;
    const pass = nextPass(store, now - retentionDays * DAY_MS);
    if (pass === undefined) return;
    while (await pruneStep(store, pass.cutSeq)) if (isStopping()) return;
    for (const { seq } of store.checkpoints.list()) {
      if (seq < pass.cutSeq) await store.checkpoints.remove(seq);
    }
    report({ type: 'pruned', fromSeq: pass.cutSeq + 1, firstAt: pass.firstAt, lastAt: pass.lastAt });
  };
}

interface Pass {
  readonly firstAt: number;
  /** The log is cut after this observation, right behind a checkpoint, so that the rest can be replayed and verified. */
  readonly cutSeq: number;
  readonly lastAt: number;
}

/**
 * Up to the last checkpoint within a day of the oldest observation, or else the next one: a checkpoint is kept for each
 * day.
 */
function nextPass({ journal, checkpoints }: Store, oldestAt: number): Pass | undefined {
  const { tail } = journal;
  const firstAt = receivedAt(journal, tail);
  if (firstAt === undefined) return undefined;
  const stale = checkpoints
    .list()
    .filter(({ seq, at, graphVersion }) => graphVersion === GRAPH_VERSION && at < oldestAt && seq >= tail);
  const cut = stale.findLast(({ at }) => at <= firstAt + DAY_MS) ?? stale[0];
  return cut && { firstAt, cutSeq: cut.seq, lastAt: cut.at };
}

function receivedAt(journal: Store['journal'], seq: number): number | undefined {
  for (const observation of journal.read(seq)) return observation.receivedAt;
  return undefined;
}

/** Drops a few blocks and rows up to `cutSeq`. Resolves to whether there may be more to drop. */
async function pruneStep({ journal, outputs, notes }: Store, cutSeq: number): Promise<boolean> {
  // Noted first, so that a verification that runs meanwhile does not expect these rows.
  if (notes.get(PRUNED_BEFORE_NOTE) !== String(cutSeq + 1)) {
    await notes.set(PRUNED_BEFORE_NOTE, String(cutSeq + 1));
  }
  return (await outputs.prune(cutSeq + 1, STEP)) + (await journal.prune(cutSeq + 1, STEP)) > 0;
}
