import { parentPort } from 'node:worker_threads';
import type { Job } from '../../src/simulation/queue.ts';
import { coldStart } from '../../streams/internal.ts';

/** What the thread does, by event: told by the request, so that a test needs no other way in. */
export const FAULTS = { throws: 101, dies: 102, throwsOnce: 103, hangs: 104 } as const;

let answers = 0;

/** A worker that fails when it is asked about certain events and otherwise answers at once; `rows` counts its answers. */
parentPort?.on('message', ({ request, askedSeq, attempts }: Job) => {
  const eventId = request.type === 'forecast' ? request.eventId : 0;
  if (eventId === FAULTS.throws || (eventId === FAULTS.throwsOnce && attempts === 0)) {
    throw new RangeError(`no answer for ${eventId}`);
  }
  if (eventId === FAULTS.dies) process.exit(3);
  if (eventId === FAULTS.hangs) for (;;);
  const params = { ...coldStart(), rows: ++answers };
  const fact = { kind: 'fit', account: request.account, askedSeq, params };
  parentPort?.postMessage({ fact, ms: 1 });
});
