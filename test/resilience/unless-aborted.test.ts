import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { unlessAborted } from '../../src/resilience/unless-aborted.ts';

const never = new Promise<never>(() => undefined);

describe('work that an abort ends', () => {
  it('settles as the work does', async () => {
    const { signal } = new AbortController();
    assert.equal(await unlessAborted(Promise.resolve(3), signal), 3);
    await assert.rejects(unlessAborted(Promise.reject(new Error('broken')), signal), /broken/);
  });

  it('rejects with the reason as soon as the signal is aborted, though the work goes on', async () => {
    const controller = new AbortController();
    const ending = unlessAborted(never, controller.signal);
    controller.abort(new Error('too late'));
    await assert.rejects(ending, /too late/);
    await assert.rejects(unlessAborted(never, controller.signal), /too late/);
  });

  it('leaves nothing on the signal, which would keep the result in memory', async () => {
    const controller = new AbortController();
    await unlessAborted(Promise.resolve('a long answer'), controller.signal);
    await unlessAborted(Promise.reject(new Error('broken')), controller.signal).catch(() => undefined);
    assert.deepEqual(getEventListeners(controller.signal, 'abort'), []);
  });
});
