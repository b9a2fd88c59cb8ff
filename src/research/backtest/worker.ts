import { parentPort, workerData } from 'node:worker_threads';
import { type Material, type Row, runJob } from './forecast-job.ts';
import type { Job } from './plan.ts';

/** What a worker tells: another forecast is made, or a job is done. */
export type Told = { readonly type: 'forecast' } | { readonly type: 'done'; readonly rows: readonly Row[] };

const material: Material = workerData;

function tell(told: Told): void {
  parentPort?.postMessage(told);
}

parentPort?.on('message', (job: Job) => {
  tell({ type: 'done', rows: runJob(job, material, () => tell({ type: 'forecast' })) });
});
