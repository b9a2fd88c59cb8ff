import assert from 'node:assert/strict';
import { createShutdown } from '../../src/service/shutdown.ts';

describe('createShutdown', () => {
  it('closes in reverse, once', async () => {
    const shutdown = createShutdown();
    const closed: string[] = [];
    for (const name of ['lock', 'store', 'server']) shutdown.add(async () => closed.push(name));
    await Promise.all([shutdown.run(), shutdown.run()]);
    assert.deepEqual(closed, ['server', 'store', 'lock']);
  });

  it('closes the rest when one fails, and rejects', async () => {
    const shutdown = createShutdown();
    let isReleased = false;
    shutdown.add(async () => {
      isReleased = true;
    });
    shutdown.add(() => Promise.reject(new Error('would not close')));
    await assert.rejects(shutdown.run(), /would not close/);
    assert.equal(isReleased, true);
  });
});
