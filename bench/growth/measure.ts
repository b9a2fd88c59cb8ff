import { boundHeap } from '../../src/cli/bound-heap.ts';
import { bytesIn, takeCheckpoint } from '../../src/engine/checkpoints.ts';
import { beginRecovery, recover } from '../../src/engine/recover.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { createRunner, emptyState, isKept, type Observation } from '../../streams/internal.ts';
import { accountIds, history, opening, type Step, seconds } from './accounts.ts';
import { type EngineParts, openLiveTurns, runSteps } from './live-turns.ts';
import { type Memory, residentMemory } from './memory.ts';
import { type Latencies, serveSteps } from './serve.ts';

/** What one process measures, in ms and bytes. */
export interface Measured {
  readonly memory: Memory;
  /** CPU time of each second of all accounts, with its commits. */
  readonly secondMs: number;
  readonly checkpointBytes: number;
}

export interface Reopened {
  /** Until stored values are loaded, and a server could begin with them. */
  readonly servedMs: number;
  /** Until the engine runs. */
  readonly restartMs: number;
  /** CPU time of the same: on a busy machine it tells more. */
  readonly restartCpuMs: number;
}

export interface Restarted extends Reopened {
  readonly memory: Memory;
  readonly secondMs: number;
}

/** The streams alone. */
export interface Replayed {
  readonly secondMs: number;
  readonly historyMs: number;
}

const DAYS = Number(process.env.DAYS ?? 90);
const START_AT = Date.UTC(2026, 0, 5);
const SECONDS = Number(process.env.SECONDS ?? 300);
const AFTER_CHECKPOINT = 30;
/** As after any start the code is cold, and what is known of past forecasts is added up: with 200 accounts for over a minute. */
const WARM_UP_SECONDS = 90;
const SERVED_SECONDS = 60;

const [task = '', count = '', folder = ''] = process.argv.slice(2);
const accounts = accountIds(Number(count));

/** Fills a store as an engine does that ran for `DAYS`, then goes on second by second. */
async function live(): Promise<Measured> {
  const store = await openStore(folder);
  const parts = { store, latest: createLatest(store.outputs), state: emptyState() };
  // As every start does.
  await store.outputs.prepare();
  let isRead = false;
  boundHeap(() => isRead, accounts.length);
  await runSteps(parts, [opening(accounts, START_AT)]);
  await runSteps(parts, history(accounts, START_AT, DAYS));
  isRead = true;
  const cpuMs = await cpuOf(() => runSteps(parts, seconds(accounts, START_AT, DAYS, SECONDS)));
  const checkpointBytes = await saveCheckpoint(parts);
  await runSteps(parts, from(SECONDS, AFTER_CHECKPOINT));
  const memory = await residentMemory();
  await store.close();
  return { memory, secondMs: cpuMs / SECONDS, checkpointBytes };
}

async function reopen() {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const store = await openStore(folder);
  const latest = createLatest(store.outputs);
  const recovery = await beginRecovery(store, latest);
  const servedMs = performance.now() - startedAt;
  const { state } = await recovery.finish();
  const restartMs = performance.now() - startedAt;
  const restartCpuMs = msOf(process.cpuUsage(cpuBefore));
  return { reopened: { servedMs, restartMs, restartCpuMs }, store, latest, state };
}

/** Opens the same store again, as after a kill: the log goes on after the checkpoint. */
async function restart(): Promise<Restarted> {
  const { reopened, store, latest, state } = await reopen();
  boundHeapAsStart();
  const after = SECONDS + AFTER_CHECKPOINT;
  const cpuMs = await cpuOf(() => runSteps({ store, latest, state }, from(after, SECONDS)));
  const memory = await residentMemory();
  await store.close();
  return { ...reopened, memory, secondMs: cpuMs / SECONDS };
}

/** Opens the same store again, and stops as an engine does. */
async function stop(): Promise<Pick<Measured, 'checkpointBytes'>> {
  const { store, state } = await reopen();
  const checkpointBytes = await saveCheckpoint({ store, state });
  await store.close();
  return { checkpointBytes };
}

/** A function of its own, as an engine keeps nothing of what it has saved: with many accounts that is 100 MB. */
async function saveCheckpoint({ store, state }: Pick<EngineParts, 'store' | 'state'>): Promise<number> {
  const checkpoint = await takeCheckpoint(store, state, START_AT + DAYS * 86_400_000);
  if (checkpoint === undefined) return 0;
  await store.checkpoints.save(checkpoint);
  return bytesIn(checkpoint);
}

/** Opens the same store again, as after an orderly stop. */
async function resume(): Promise<Reopened> {
  const { reopened, store } = await reopen();
  await store.close();
  return reopened;
}

/** Opens the same store again, and serves readers of one account. */
async function serve(): Promise<Latencies> {
  const store = await openStore(folder);
  const latest = createLatest(store.outputs);
  const { state } = await recover(store, latest);
  boundHeapAsStart();
  const turns = openLiveTurns({ store, latest, state });
  // All made before anybody is served: to come to the first of them takes a second with many accounts.
  const steps = [...from(2 * SECONDS + AFTER_CHECKPOINT, WARM_UP_SECONDS + SERVED_SECONDS)];
  const latencies = await serveSteps(
    { store, latest, accounts: accounts.length, ...turns },
    steps,
    WARM_UP_SECONDS,
  );
  await turns.stop();
  await store.close();
  return latencies;
}

/** As verification does it: through the graph, and every output to its bytes. */
async function replay(): Promise<Replayed> {
  const { run } = createRunner(emptyState());
  let seq = 0;
  let bytes = 0;
  const feed = (steps: Iterable<Step>) => {
    for (const { at, facts } of steps) {
      for (const fact of facts) {
        const observation: Observation = { seq: ++seq, receivedAt: at, fact };
        for (const output of run(observation))
          if (isKept(output.stream)) bytes += JSON.stringify(output).length;
      }
    }
  };
  feed([opening(accounts, START_AT)]);
  const historyMs = await cpuOf(async () => feed(history(accounts, START_AT, DAYS)));
  const cpuMs = await cpuOf(async () => feed(seconds(accounts, START_AT, DAYS, SECONDS)));
  if (bytes === 0) throw new Error('the replay gave nothing');
  return { secondMs: cpuMs / SECONDS, historyMs };
}

/** As the program does once it runs and the history is read. */
function boundHeapAsStart(): void {
  boundHeap(() => true, accounts.length);
}

function* from(first: number, count: number): Iterable<Step> {
  let n = 0;
  for (const step of seconds(accounts, START_AT, DAYS, first + count)) if (++n > first) yield step;
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return msOf(process.cpuUsage(before));
}

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

const tasks: Readonly<Record<string, () => Promise<object>>> = { live, restart, stop, resume, serve, replay };
const measured = await tasks[task]?.();
if (measured === undefined) throw new RangeError(`no task ${task}`);
process.stdout.write(`${JSON.stringify(measured)}\n`);
