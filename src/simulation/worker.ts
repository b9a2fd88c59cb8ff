import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { answer } from './answer-request.ts';
import type { Job } from './queue.ts';

/** A third of the processor time of those who answer requests, where cores are too few for both. */
const NICENESS = 5;
const LOWEST_PRIORITY = 19;

// On Linux the priority is that of the calling thread alone; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(Math.min(LOWEST_PRIORITY, getPriority() + NICENESS));

// An error is not caught: it ends the thread, and whoever started it knows what to do.
parentPort?.on('message', ({ request, askedSeq }: Job) => {
  const startedMs = performance.now();
  const fact = answer(request, askedSeq);
  parentPort?.postMessage({ fact, ms: performance.now() - startedMs });
});
