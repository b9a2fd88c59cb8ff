import assert from 'node:assert/strict';
import { createProgress } from '../../src/cli/progress.ts';
import { memoryProcess } from './memory-process.ts';

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
    const { stderr, texts } = memoryProcess(true);
    const progress = createProgress(stderr);
    time += 50;
    progress.show('10 of 100', 0.1);
    assert.equal(texts.stderr, '');
    time += 60;
    progress.show('50 of 100', 0.5);
    assert.equal(texts.stderr, `\r[${'#'.repeat(15)}${' '.repeat(15)}] 50 of 100, 50 %, 1 s left\u001b[K`);
    progress.end();
    assert.ok(texts.stderr.endsWith('\r\u001b[K'));
  });

  it('writes a line every five seconds elsewhere', () => {
    const { stderr, texts } = memoryProcess();
    const progress = createProgress(stderr);
    for (let second = 1; second <= 12; second++) {
      time += 1_000;
      progress.show(`${second} of 12`, second / 12);
    }
    progress.end();
    assert.equal(texts.stderr, '5 of 12, 41 %, 7 s left\n10 of 12, 83 %, 2 s left\n');
  });
});
