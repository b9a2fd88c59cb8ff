import { parentPort, workerData } from 'node:worker_threads';
import { type JobResult, type Material, runJob } from './forecast-job.ts';
import type { Job } from './plan.ts';

/** What a worker tells: another forecast is made, or a job is done. */
export type Told = { readonly type: 'forecast' } | { readonly type: 'done'; readonly result: JobResult };

const material: Material = workerData;

function tell(told: Told): void {
  parentPort?.postMessage(told);
}

parentPort?.on('message', (job: Job) => {
  tell({ type: 'done', result: runJob(job, material, () => tell({ type: 'forecast' })) });
});
