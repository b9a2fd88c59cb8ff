import assert from 'node:assert/strict';
import { createShutdown } from '../../src/service/shutdown.ts';

describe('createShutdown', () => {
  it('closes in reverse, once', async () => {
    const closing = createShutdown();
    const closed: string[] = [];
    for (const name of ['lock', 'store', 'server']) closing.add(async () => closed.push(name));
    await Promise.all([closing.run(), closing.run()]);
    assert.deepEqual(closed, ['server', 'store', 'lock']);
  });

  it('closes the rest when one fails, and says so', async () => {
    const closing = createShutdown();
    let isReleased = false;
    closing.add(async () => {
      isReleased = true;
    });
    closing.add(() => Promise.reject(new Error('would not close')));
    await assert.rejects(closing.run(), /would not close/);
    assert.equal(isReleased, true);
  });
});
