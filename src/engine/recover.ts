import {
  agesFromLine,
  calendarAt,
  createRunner,
  createStateReader,
  emptyState,
  GRAPH_VERSION,
  GRAPH_VERSION_BEFORE,
  type GraphState,
  lastPassing,
  type Observation,
  type Output,
  type TickFact,
} from '../../streams/internal.ts';
import { isRefusedWrite } from '../errors.ts';
import { createLoopYield } from '../resilience/loop-yield.ts';
import { createRetryingWriter, type RetryingWriter } from '../resilience/retry-write.ts';
import type { Checkpoint, Store } from '../store/store.ts';
import type { LatestWriter } from '../views/latest.ts';

/** Outputs per write while the log is read. */
const BATCH = 5_000;

type Tick = Observation & { readonly fact: TickFact };
type Place = Omit<Checkpoint, 'state'>;

interface Recovered {
  readonly state: GraphState;
  /** How many observations were run through the graph. */
  readonly replayed: number;
}

interface RecoveryOptions {
  /** Called at each write that the disk refuses. It is tried again until it succeeds. */
  readonly onRefused?: (error: unknown) => void;
  /** Ms before a refused write is tried again. */
  readonly retryMs?: number;
  /** Ms since something was logged at that time of the calendar, at least. */
  readonly elapsedMs?: (at: number) => number;
  /** Called often while the log is read, with the share that was. */
  readonly onProgress?: (share: number) => void;
}

/** The recovery of a store. What was stored before is among the latest values; those that are not stored are not yet. */
export interface Recovery {
  /** Whether there is something to serve already, the age of which is known. */
  readonly hasValues: boolean;
  /** Derives the rest, in small steps, and adds it to the latest values. Called once. */
  finish(): Promise<Recovered>;
  /** Tries no refused write again: what waits for one rejects. */
  stop(): void;
}

/**
 * Prepares to run the log since the newest checkpoint through the graph, and to store the outputs that a crash kept from
 * being stored. Every start does this. When no checkpoint has the present graph version, all outputs are derived again,
 * unless the log has lost its beginning: then the state of the version before goes on, and its outputs are kept. A disk
 * that refuses writes is waited for, so that what is stored can be served meanwhile.
 */
export async function beginRecovery(
  store: Store,
  latest: LatestWriter,
  {
    onRefused = () => undefined,
    retryMs,
    elapsedMs = () => 0,
    onProgress = () => undefined,
  }: RecoveryOptions = {},
): Promise<Recovery> {
  const { outputs } = store;
  const checkpoint = startOf(store);
  const writer = createRetryingWriter({ onRefused, isRefusal: isRefusedWrite, retryMs });
  if (checkpoint === undefined) await writer.write(() => outputs.clear());
  await writer.write(() => outputs.prepare());
  // Begun first, as another thread makes the lines while the latest values are loaded.
  const lines = checkpoint === undefined ? undefined : startLines(store, checkpoint);
  latest.loadFrom(outputs);
  const first = await lines?.first;
  const ages = first === undefined ? [] : lastAges(store, first);
  latest.load(ages);
  /** Readers see the values up to the last tick by `upTo`. */
  const tellTick = (upTo: number) => {
    const tick = lastTickOf(store, upTo);
    if (tick !== undefined) latest.ticked(elapsedMs(calendarAt(tick)));
  };
  tellTick(outputs.upTo);
  return {
    hasValues: ages.length > 0,
    async finish() {
      const recovered = await finish(store, latest, checkpoint, lines, writer, onProgress);
      tellTick(store.journal.head);
      return recovered;
    },
    stop: writer.stop,
  };
}

/** The whole recovery. */
export async function recover(store: Store, latest: LatestWriter): Promise<Recovered> {
  const recovery = await beginRecovery(store, latest);
  return recovery.finish();
}

function startOf({ journal, checkpoints }: Store): Place | undefined {
  const newestOf = (version: number) =>
    checkpoints.list().findLast(({ graphVersion }) => graphVersion === version);
  const isWhole = journal.tail <= 1;
  return newestOf(GRAPH_VERSION) ?? (isWhole ? undefined : newestOf(GRAPH_VERSION_BEFORE));
}

/** The lines of a checkpoint, the first of which is needed before the others. */
interface Lines {
  /** Undefined when there is none. */
  readonly first: Promise<Uint8Array | undefined>;
  /** All of them. Called once. */
  all(): AsyncIterable<Uint8Array>;
}

function startLines({ checkpoints }: Store, { seq }: Place): Lines {
  const lines = checkpoints.lines(seq)[Symbol.asyncIterator]();
  const first = lines.next().then(({ value }): Uint8Array | undefined => value);
  // Whoever awaits it is told. Where something else fails before, nobody does.
  first.catch(() => undefined);
  return {
    first,
    async *all() {
      const line = await first;
      if (line === undefined) return;
      yield line;
      yield* { [Symbol.asyncIterator]: () => lines };
    },
  };
}

/** The ages at the last tick whose outputs are stored. None when the checkpoint does not begin with what they are computed from. */
function lastAges(store: Store, firstLine: Uint8Array): readonly Output[] {
  const known = Array.from(lastOf(store)).filter(({ seq }) => seq <= store.outputs.upTo);
  return agesFromLine(firstLine, known);
}

async function finish(
  { journal, outputs }: Store,
  latest: LatestWriter,
  checkpoint: Place | undefined,
  lines: Lines | undefined,
  writer: RetryingWriter,
  onProgress: (share: number) => void,
): Promise<Recovered> {
  const loop = createLoopYield();
  const reader = createStateReader();
  for await (const line of lines?.all() ?? []) {
    reader.read(line);
    if (loop.isDue()) await loop.yield();
  }
  const state = checkpoint === undefined ? emptyState() : reader.state();
  // The log has the answers. What it does not answer is asked when the engine runs.
  const runner = createRunner(state, { isAsking: false });
  let unsaved: Output[] = [];
  let replayed = 0;
  let seq = checkpoint?.seq ?? journal.tail - 1;
  const before = seq;
  let at = latest.at;
  const save = async () => {
    const batch = unsaved;
    unsaved = [];
    await writer.write(() => outputs.append(batch, seq));
    latest.apply(batch, seq, at);
  };
  for (const observation of journal.read(seq + 1)) {
    ({ seq } = observation);
    at = calendarAt(observation);
    replayed += 1;
    for (const output of runner.run(observation)) {
      if (seq > outputs.upTo) unsaved.push(output);
    }
    if (unsaved.length >= BATCH) await save();
    if (!loop.isDue()) continue;
    onProgress((seq - before) / (journal.head - before));
    await loop.yield();
  }
  if (unsaved.length > 0) await save();
  if (journal.head > 0) latest.apply(lastPassing(state), seq, at);
  return { state, replayed };
}

// Ticks come each second, so the last one is among the last observations unless the engine was overloaded.
const LOOK_BACK = 1_000;

/** The last tick of the log, or the last by a seq, if the log has one near its end. */
export function lastTickOf({ journal }: Pick<Store, 'journal'>, upTo = journal.head): Tick | undefined {
  const first = firstOfLast({ journal });
  // Backwards, as the tick of a turn is its last observation, and the turns before need not be read.
  for (const observation of journal.readBack(upTo)) {
    if (observation.seq < first) return undefined;
    const { fact } = observation;
    if (fact.kind === 'tick') return { ...observation, fact };
  }
  return undefined;
}

function lastOf({ journal }: Pick<Store, 'journal'>): Iterable<Observation> {
  return journal.read(firstOfLast({ journal }));
}

function firstOfLast({ journal }: Pick<Store, 'journal'>): number {
  return Math.max(journal.tail, journal.head - LOOK_BACK);
}
