import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { listenForStop } from '../../src/cli/stopping.ts';
import { memoryShell } from './memory-shell.ts';

describe('listenForStop', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  for (const name of ['SIGTERM', 'SIGINT']) {
    it(`takes ${name} as a request to stop`, async () => {
      const shell = memoryShell();
      const { signal, asked, release } = listenForStop(shell);
      assert.equal(signal.aborted, false);
      shell.signals.emit(name);
      await asked;
      assert.equal(signal.aborted, true);
      release();
      mock.timers.tick(60_000);
      assert.deepEqual(shell.exits, []);
      assert.equal(shell.signals.listenerCount(name), 0);
    });
  }

  it('ends by force at a second signal', () => {
    const shell = memoryShell();
    listenForStop(shell);
    shell.signals.emit('SIGTERM');
    shell.signals.emit('SIGINT');
    assert.deepEqual(shell.exits, [1]);
    assert.match(shell.texts.stderr, /^tallywire: ended by force, as a second signal came\n$/);
  });

  it('ends by force when 25 s were not enough', () => {
    const shell = memoryShell();
    listenForStop(shell);
    shell.signals.emit('SIGTERM');
    mock.timers.tick(24_999);
    assert.deepEqual(shell.exits, []);
    mock.timers.tick(1);
    assert.deepEqual(shell.exits, [1]);
    assert.match(shell.texts.stderr, /longer than 25 s\n$/);
  });
});
