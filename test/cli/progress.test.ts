import assert from 'node:assert/strict';
import { createProgress } from '../../src/cli/progress.ts';
import { memoryShell } from './memory-shell.ts';

describe('createProgress', () => {
  const now = performance.now;
  let time = 0;
  before(() => {
    performance.now = () => time;
  });
  after(() => {
    performance.now = now;
  });

  it('redraws a bar on a terminal and takes it away', () => {
    const { stderr, texts } = memoryShell(true);
    const progress = createProgress(stderr, 'verified');
    time += 50;
    progress.show(10, 100);
    assert.equal(texts.stderr, '');
    time += 60;
    progress.show(50, 100);
    assert.equal(texts.stderr, `\r[${'#'.repeat(15)}${' '.repeat(15)}] verified seq 50 of 100, 50 %`);
    progress.end();
    assert.ok(texts.stderr.endsWith('\r\u001b[K'));
  });

  it('takes the share of what lies behind the first', () => {
    const { stderr, texts } = memoryShell();
    const progress = createProgress(stderr, 'exported');
    time += 6_000;
    progress.show(150, 200, 100);
    assert.equal(texts.stderr, 'exported seq 150 of 200, 50 %\n');
  });

  it('writes a line every five seconds elsewhere', () => {
    const { stderr, texts } = memoryShell();
    const progress = createProgress(stderr, 'verified');
    for (let second = 1; second <= 12; second++) {
      time += 1_000;
      progress.show(second, 12);
    }
    progress.end();
    assert.equal(texts.stderr, 'verified seq 5 of 12, 41 %\nverified seq 10 of 12, 83 %\n');
  });
});
