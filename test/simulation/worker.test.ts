import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { answer } from '../../src/simulation/answer-request.ts';
import { forecastRequest } from '../support/model-requests.ts';

const THREAD = new URL('../../src/simulation/worker.js', import.meta.url);

/** How many threads of this process have that nice value, as the kernel has it. */
function threadsAt(priority: number): number {
  return readdirSync('/proc/self/task').filter((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    // Counted after the name, which may hold spaces: the nice value is the 19th field of all.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]) === priority;
  }).length;
}

describe('simulator thread', () => {
  let thread: Worker;

  before(() => {
    thread = new Worker(THREAD);
  });

  after(() => thread.terminate());

  it('answers as the function does', async () => {
    const request = forecastRequest();
    thread.postMessage({ request, askedSeq: 7, attempts: 0 });
    const [{ fact, ms }] = await once(thread, 'message');
    assert.deepEqual(fact, answer(request, 7));
    assert.ok(ms > 0);
  });

  if (process.platform === 'linux') {
    it('steps back behind the thread that answers requests, alone', async () => {
      const own = getPriority();
      const lower = Math.min(19, own + 5);
      const before = threadsAt(lower);
      const another = new Worker(THREAD);
      try {
        another.postMessage({ request: forecastRequest(), askedSeq: 8, attempts: 0 });
        await once(another, 'message');
        assert.equal(threadsAt(lower), before + 1);
        assert.equal(getPriority(), own);
      } finally {
        await another.terminate();
      }
    });
  }
});
