import { decodeState, emptyState, GRAPH_VERSION, type GraphState } from '../../streams/internal.ts';
import { StoreError } from '../errors.ts';
import type { Store } from '../store/store.ts';

/** A state from which the log can be followed; `seq` is the last observation in it. */
export interface Start {
  readonly seq: number;
  readonly state: GraphState;
}

/** Whether a checkpoint may serve as a start. */
type Accepts = (checkpoint: { readonly seq: number; readonly at: number }) => boolean;

function startAt(store: Store, seq: number): Start | undefined {
  const checkpoint = store.checkpoints.newest(GRAPH_VERSION, seq);
  return checkpoint?.seq === seq ? { seq, state: decodeState(checkpoint.state) } : undefined;
}

/** Checkpoints of this graph that the log still continues, oldest first. */
function usable({ checkpoints, journal }: Store) {
  return checkpoints
    .list()
    .filter(({ seq, graphVersion }) => graphVersion === GRAPH_VERSION && seq >= journal.tail - 1);
}

/** The earliest start: the empty state for a whole log, the oldest checkpoint for a log whose beginning was dropped. */
export function earliestStart(store: Store): Start {
  if (store.journal.tail <= 1) return { seq: 0, state: emptyState() };
  const oldest = usable(store)[0];
  const start = oldest && startAt(store, oldest.seq);
  if (start !== undefined) return start;
  throw new StoreError(
    'STORE_NO_START',
    `the log begins at seq ${store.journal.tail} and there is no checkpoint of graph version ${GRAPH_VERSION} to start from`,
  );
}

/** The latest start that `accepts` allows, or else the earliest start. */
export function latestStart(store: Store, accepts: Accepts): Start {
  const newest = usable(store).findLast(accepts);
  return (newest && startAt(store, newest.seq)) ?? earliestStart(store);
}
