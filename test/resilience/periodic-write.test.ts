import assert from 'node:assert/strict';
import { createPeriodicWrite } from '../../src/resilience/periodic-write.ts';

describe('createPeriodicWrite', () => {
  it('writes one after the other, and says which write is the last', async () => {
    const log: string[] = [];
    const writes = createPeriodicWrite({
      everyMs: 3_600_000,
      async write(isLast) {
        log.push(`begin ${isLast}`);
        await Promise.resolve();
        log.push('end');
      },
      report: (error) => assert.fail(String(error)),
    });
    writes.start();
    await Promise.all([writes.flush(), writes.stop()]);
    assert.deepEqual(log, ['begin false', 'end', 'begin true', 'end']);
  });

  it('reports the first of several failures in a row, and never rejects', async () => {
    const reported: unknown[] = [];
    let isFull = true;
    const writes = createPeriodicWrite({
      everyMs: 3_600_000,
      write: async () => {
        if (isFull) throw new Error('full');
      },
      report: (error) => reported.push(error),
    });
    await writes.flush();
    await writes.flush();
    writes.report(new Error('unreadable'));
    assert.equal(reported.length, 1);
    isFull = false;
    await writes.flush();
    isFull = true;
    await writes.stop();
    assert.equal(reported.length, 2);
  });
});
