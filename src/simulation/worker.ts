import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { answer } from './answer-request.ts';
import { createModelCache } from './model-cache.ts';
import type { Job } from './queue.ts';

/** When cores are scarce, the thread gets a third of the processor time of the one that serves readers. */
const NICENESS = 5;
const LOWEST_PRIORITY = 19;

// On Linux this sets the priority of the calling thread alone; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(Math.min(LOWEST_PRIORITY, getPriority() + NICENESS));

const cache = createModelCache();

// An error ends the thread, and the pool starts another.
parentPort?.on('message', ({ request, askedSeq }: Job) => {
  const startedMs = performance.now();
  const fact = answer(request, askedSeq, cache);
  parentPort?.postMessage({ fact, ms: performance.now() - startedMs });
});
