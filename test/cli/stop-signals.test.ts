import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { listenForStop } from '../../src/cli/stop-signals.ts';
import { memoryProcess } from './memory-process.ts';

describe('listenForStop', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  for (const name of ['SIGTERM', 'SIGINT']) {
    it(`takes ${name} as a request to stop`, async () => {
      const proc = memoryProcess();
      const { signal, requested, release } = listenForStop(proc);
      assert.equal(signal.aborted, false);
      proc.signals.emit(name);
      await requested;
      assert.equal(signal.aborted, true);
      release();
      mock.timers.tick(60_000);
      assert.deepEqual(proc.exits, []);
      assert.equal(proc.signals.listenerCount(name), 0);
    });
  }

  it('ends by force at a second signal', () => {
    const proc = memoryProcess();
    listenForStop(proc);
    proc.signals.emit('SIGTERM');
    proc.signals.emit('SIGINT');
    assert.deepEqual(proc.exits, [1]);
    assert.match(proc.texts.stderr, /^tallywire: ended by force, as a second signal came\n$/);
  });

  it('ends by force when 25 s were not enough', () => {
    const proc = memoryProcess();
    listenForStop(proc);
    proc.signals.emit('SIGTERM');
    mock.timers.tick(24_999);
    assert.deepEqual(proc.exits, []);
    mock.timers.tick(1);
    assert.deepEqual(proc.exits, [1]);
    assert.match(proc.texts.stderr, /longer than 25 s\n$/);
  });

  it('forces a stop for another reason after the same time, and no more once that is over', () => {
    const proc = memoryProcess();
    const stop = listenForStop(proc);
    stop.limit(75);
    assert.equal(stop.signal.aborted, false);
    mock.timers.tick(24_999);
    assert.deepEqual(proc.exits, []);
    mock.timers.tick(1);
    assert.deepEqual(proc.exits, [75]);
    const other = listenForStop(proc);
    other.limit(1);
    other.release();
    mock.timers.tick(60_000);
    assert.deepEqual(proc.exits, [75]);
  });
});
