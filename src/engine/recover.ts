import {
  createRunner,
  decodeState,
  emptyState,
  GRAPH_VERSION,
  GRAPH_VERSION_BEFORE,
  type GraphState,
  lastPassing,
  type Observation,
  type Output,
  type TickFact,
} from '../../streams/internal.ts';
import type { Store } from '../store/store.ts';
import type { LatestWriter } from '../views/latest.ts';

/** Outputs per write while the log is read. */
const BATCH = 5_000;

interface Recovered {
  readonly state: GraphState;
  /** How many observations were run through the graph. */
  readonly replayed: number;
}

type Tick = Observation & { readonly fact: TickFact };

/**
 * Runs the log since the newest checkpoint through the graph, and stores the outputs that a crash kept from being
 * stored. Every start does this. When no checkpoint has the present graph version, all outputs are derived again, unless
 * the log has lost its beginning: then the state of the version before goes on, and its outputs are kept.
 */
export async function recover(store: Store, latest: LatestWriter): Promise<Recovered> {
  const { journal, outputs, checkpoints } = store;
  const isWhole = journal.tail <= 1;
  const checkpoint =
    checkpoints.newest(GRAPH_VERSION) ?? (isWhole ? undefined : checkpoints.newest(GRAPH_VERSION_BEFORE));
  if (checkpoint === undefined) await outputs.clear();
  await outputs.prepare();
  const state = checkpoint ? decodeState(checkpoint.state) : emptyState();

  const runner = createRunner(state);
  let unsaved: Output[] = [];
  let replayed = 0;
  let seq = checkpoint?.seq ?? journal.tail - 1;
  for (const observation of journal.read(seq + 1)) {
    seq = observation.seq;
    replayed += 1;
    for (const output of runner.run(observation)) {
      if (seq > outputs.upTo) unsaved.push(output);
    }
    if (unsaved.length < BATCH) continue;
    const batch = unsaved;
    unsaved = [];
    await outputs.append(batch, seq);
  }
  if (unsaved.length > 0) await outputs.append(unsaved, seq);

  latest.loadFrom(outputs);
  latest.load(lastPassing(state));
  return { state, replayed };
}

// Ticks come each second, so the last one is among the last observations unless the engine was overloaded.
const LOOK_BACK = 1_000;

/** The last tick of the log, if the log has one near its end. */
export function lastTickOf({ journal }: Pick<Store, 'journal'>): Tick | undefined {
  let last: Tick | undefined;
  for (const observation of journal.read(Math.max(journal.tail, journal.head - LOOK_BACK))) {
    const { fact } = observation;
    if (fact.kind === 'tick') last = { ...observation, fact };
  }
  return last;
}
