import { DAY_MS, encodeStateLines, GRAPH_VERSION, type GraphState } from '../../streams/internal.ts';
import { createLoopYield } from '../resilience/loop-yield.ts';
import type { NewCheckpoint, Store } from '../store/store.ts';

/** This many of the newest checkpoints are kept, and the first one of each UTC day. */
const RECENT = 3;

/**
 * Lines of a state are joined to pieces of about this length as they are made. Such a piece goes back to the system once it
 * is saved, while the C library keeps the room of many short ones: with 200 accounts these are hundreds of MB.
 */
const PIECE_BYTES = 512 * 1024;

/**
 * A copy of the state, or undefined when the log has not grown since the last checkpoint. The state must not change until
 * it resolves. Requests are answered meanwhile.
 */
export async function takeCheckpoint(
  store: Store,
  state: GraphState,
  at: number,
): Promise<NewCheckpoint | undefined> {
  const seq = store.journal.head;
  if (seq === 0 || store.checkpoints.list().at(-1)?.seq === seq) return undefined;
  const loop = createLoopYield();
  const pieces: Uint8Array[] = [];
  let lines: Uint8Array[] = [];
  let length = 0;
  const join = () => {
    if (length > 0) pieces.push(Buffer.concat(lines));
    lines = [];
    length = 0;
  };
  for (const line of encodeStateLines(state)) {
    lines.push(line);
    length += line.length;
    if (length >= PIECE_BYTES) join();
    if (loop.isDue()) await loop.yield();
  }
  join();
  return { seq, at, graphVersion: GRAPH_VERSION, state: pieces };
}

export function bytesIn({ state }: NewCheckpoint): number {
  if (typeof state === 'string') return Buffer.byteLength(state);
  return state.reduce((sum, { length }) => sum + length, 0);
}

/** Removes the checkpoints that neither a restart nor the verification of a pruned log needs. */
export async function thinCheckpoints(store: Store): Promise<void> {
  const older = store.checkpoints.list().slice(0, -RECENT);
  let day: number | undefined;
  for (const { seq, at } of older) {
    const dayOf = Math.floor(at / DAY_MS);
    if (dayOf === day) await store.checkpoints.remove(seq);
    day = dayOf;
  }
}
