import { parentPort, workerData } from 'node:worker_threads';
import { type JobResult, type Material, runJob } from './forecast-job.ts';
import type { Job } from './job-plan.ts';

/** Another forecast is made, or a job is done. */
export type WorkerMessage =
  | { readonly type: 'forecast' }
  | { readonly type: 'done'; readonly result: JobResult };

const material: Material = workerData;

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', (job: Job) => {
  send({ type: 'done', result: runJob(job, material, () => send({ type: 'forecast' })) });
});
