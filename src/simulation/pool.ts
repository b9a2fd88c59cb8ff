import { Worker } from 'node:worker_threads';
import type { FitFact, ForecastFact, ModelRequest } from '../../streams/internal.ts';
import { SimulatorError } from '../errors.ts';
import { backoffDelay } from '../resilience/backoff.ts';
import { createJobQueue, type Job } from './queue.ts';

/** One worker keeps up with a dozen events and leaves the other cores to the readers. */
const WORKERS = 1;
/** Typed arrays do not count towards these, so they are ample. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };
const MAX_ATTEMPTS = 2;
const RESTARTS = { firstMs: 100, longestMs: 30_000 };
/** A fit to years of posts takes a second or two, so a worker that takes this long is stuck. */
const DEADLINE_MS = 60_000;
/** A thread keeps the memory of a fit, so it is ended after being idle this long. */
const RETIRE_MS = 5_000;

export type SimulationReport =
  | { readonly type: 'simulated'; readonly request: ModelRequest['type']; readonly ms: number }
  | { readonly type: 'simulator_failed'; readonly error: unknown; readonly restartMs: number }
  | {
      readonly type: 'simulation_dropped';
      readonly request: ModelRequest;
      readonly reason: 'failed' | 'queue_full' | 'not_delivered';
      readonly error: unknown;
    };

/** What the pool needs of a worker thread. */
export interface SimulationWorker {
  on(event: 'message', listener: (done: Done) => void): unknown;
  once(event: 'error', listener: (error: unknown) => void): unknown;
  once(event: 'exit', listener: (code: number) => void): unknown;
  postMessage(job: Job): void;
  terminate(): Promise<unknown>;
}

/** Starts a worker that runs the module. */
export type StartWorker = (module: URL) => SimulationWorker;

export const startWorkerThread: StartWorker = (module) =>
  new Worker(module, { resourceLimits: RESOURCE_LIMITS });

export interface SimulationPoolDeps {
  /** Appends the answer to the log. The worker gets its next job after that. */
  readonly deliver: (fact: FitFact | ForecastFact) => Promise<void>;
  readonly report: (report: SimulationReport) => void;
  readonly workers?: number;
  /** The module a worker runs. */
  readonly thread?: URL;
  readonly startWorker?: StartWorker | undefined;
  readonly deadlineMs?: number;
  readonly retireMs?: number;
}

export interface SimulationPool {
  /** Returns at once; the answer is delivered, or a report says why not. */
  ask(request: ModelRequest, askedSeq: number): void;
  /** Ends the workers; nothing is delivered any more. */
  stop(): Promise<void>;
}

/** What a worker answers. */
interface Done {
  readonly fact: FitFact | ForecastFact;
  readonly ms: number;
}

/** Worker threads that answer the requests of the streams, started with the first request. */
export function createSimulationPool(deps: SimulationPoolDeps): SimulationPool {
  const queue = createJobQueue();
  const drop = (request: ModelRequest, reason: 'failed' | 'queue_full' | 'not_delivered', error: unknown) =>
    deps.report({ type: 'simulation_dropped', request, reason, error });
  const slots = Array.from({ length: deps.workers ?? WORKERS }, () =>
    createSlot(deps, queue.take, retryOrDrop),
  );

  function retryOrDrop(job: Job, error: unknown): void {
    const attempts = job.attempts + 1;
    if (attempts < MAX_ATTEMPTS) queue.putBack({ ...job, attempts });
    else drop(job.request, 'failed', error);
  }

  return {
    ask(request, askedSeq) {
      if (!queue.add({ request, askedSeq, attempts: 0 })) drop(request, 'queue_full', undefined);
      for (const slot of slots) slot.wake();
    },
    async stop() {
      await Promise.all(slots.map((slot) => slot.stop()));
    },
  };
}

interface Slot {
  /** Starts the next job unless one is in progress. */
  wake(): void;
  stop(): Promise<void>;
}

/** Runs one worker at a time, and replaces it after a failure. */
function createSlot(
  {
    deliver,
    report,
    thread = new URL('./worker.js', import.meta.url),
    startWorker = startWorkerThread,
    deadlineMs = DEADLINE_MS,
    retireMs = RETIRE_MS,
  }: SimulationPoolDeps,
  take: () => Job | undefined,
  onFailed: (job: Job, error: unknown) => void,
): Slot {
  let worker: SimulationWorker | undefined;
  /** Undefined once the worker has answered. */
  let job: Job | undefined;
  let isDelivering = false;
  let hasFitted = false;
  let retiring: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isBackingOff = false;
  let isStopped = false;

  function start(): SimulationWorker {
    const started = startWorker(thread);
    // One that was given up may have answered before it was ended.
    started.on('message', (done) => {
      if (worker === started) void finish(done);
    });
    // An error is always followed by an exit, and only the first of the two counts.
    started.once('error', (error) => replaceAfter(started, error));
    started.once('exit', (code) =>
      replaceAfter(
        started,
        new SimulatorError('SIMULATOR_ENDED', `a simulation worker ended with code ${code}`),
      ),
    );
    return started;
  }

  function wake(): void {
    if (isStopped || isBackingOff || isDelivering || job !== undefined) return;
    job = take();
    if (job === undefined) return;
    clearTimeout(retiring);
    worker ??= start();
    hasFitted ||= job.request.type === 'fit' || job.request.params === null;
    const asked = worker;
    timer = setTimeout(() => {
      replaceAfter(
        asked,
        new SimulatorError('SIMULATOR_SILENT', `no answer from a simulation worker in ${deadlineMs} ms`),
      );
    }, deadlineMs);
    worker.postMessage(job);
  }

  async function finish({ fact, ms }: Done): Promise<void> {
    clearTimeout(timer);
    const request = job?.request;
    if (isStopped || request === undefined) return;
    job = undefined;
    failures = 0;
    isDelivering = true;
    report({ type: 'simulated', request: request.type, ms });
    try {
      await deliver(fact);
    } catch (error) {
      if (!isStopped) report({ type: 'simulation_dropped', request, reason: 'not_delivered', error });
    }
    isDelivering = false;
    wake();
    if (job === undefined && hasFitted) retiring = setTimeout(retire, retireMs);
  }

  function retire(): void {
    const retired = worker;
    worker = undefined;
    hasFitted = false;
    void retired?.terminate();
  }

  function replaceAfter(failedWorker: SimulationWorker, error: unknown): void {
    if (isStopped || worker !== failedWorker) return;
    clearTimeout(timer);
    worker = undefined;
    void failedWorker.terminate();
    failures += 1;
    const restartMs = backoffDelay(RESTARTS, failures);
    report({ type: 'simulator_failed', error, restartMs });
    const unfinished = job;
    job = undefined;
    if (unfinished !== undefined) onFailed(unfinished, error);
    isBackingOff = true;
    timer = setTimeout(() => {
      isBackingOff = false;
      wake();
    }, restartMs);
  }

  return {
    wake,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(retiring);
      await worker?.terminate();
    },
  };
}
