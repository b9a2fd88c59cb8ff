import { parentPort } from 'node:worker_threads';
import { answer } from './simulate-request.ts';
import type { Job } from './simulator-queue.ts';

// An error is not caught: it ends the thread, and whoever started it knows what to do.
parentPort?.on('message', ({ request, askedSeq }: Job) => {
  const startedMs = performance.now();
  const fact = answer(request, askedSeq);
  parentPort?.postMessage({ fact, ms: performance.now() - startedMs });
});
