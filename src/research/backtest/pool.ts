import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { JobResult, Material } from './forecast-job.ts';
import type { Job } from './job-plan.ts';
import type { WorkerMessage } from './worker.ts';

interface PoolOptions {
  readonly onForecast: () => void;
  readonly signal: AbortSignal;
}

/** Runs all jobs on all cores; results come in the order of the jobs. Rejects when a worker fails or the signal aborts. */
export async function runJobs(
  jobs: readonly Job[],
  material: Material,
  options: PoolOptions,
): Promise<JobResult[]> {
  const results = new Map<number, JobResult>();
  // The latest have the longest history to fit to: taken first, no core is left with one of them at the end.
  const waiting = jobs.map((job, index) => ({ job, index })).reverse();
  const size = Math.min(jobs.length, availableParallelism());
  await Promise.all(
    Array.from({ length: size }, () =>
      runWorker(material, options, () => {
        const next = waiting.shift();
        if (next === undefined) return undefined;
        return { job: next.job, take: (result) => results.set(next.index, result) };
      }),
    ),
  );
  return jobs.flatMap((_, index) => results.get(index) ?? []);
}

interface Turn {
  readonly job: Job;
  readonly take: (result: JobResult) => unknown;
}

async function runWorker(
  material: Material,
  { onForecast, signal }: PoolOptions,
  nextTurn: () => Turn | undefined,
): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: material });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      let turn: Turn | undefined;
      const begin = () => {
        turn = nextTurn();
        if (turn === undefined) resolve();
        else worker.postMessage(turn.job);
      };
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'forecast') return onForecast();
        turn?.take(message.result);
        begin();
      });
      worker.once('error', reject);
      worker.once('exit', () =>
        reject(signal.reason ?? new Error('a worker ended before its work was done')),
      );
      begin();
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
