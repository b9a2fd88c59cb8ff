import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BOUND_HEAP = new URL('../../src/cli/bound-heap.js', import.meta.url).href;

describe('boundHeap', () => {
  it('sets what this version of Node knows', async () => {
    // In a process of its own, as it holds for the whole process. An unknown flag is told on stderr, and no error.
    const program = `const { boundHeap } = await import('${BOUND_HEAP}'); boundHeap();`;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    assert.deepEqual([stdout, stderr], ['', '']);
  });
});
