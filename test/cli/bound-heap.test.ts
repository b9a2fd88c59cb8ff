import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BOUND_HEAP = new URL('../../src/cli/bound-heap.js', import.meta.url).href;

/** What a process of its own prints, as the bounds hold for a whole process. It ends by itself once nothing is waited for. */
async function outputOf(program: string): Promise<readonly [stdout: string, stderr: string]> {
  const whole = `const { boundHeap } = await import('${BOUND_HEAP}'); ${program}`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', whole]);
  return [stdout, stderr];
}

describe('boundHeap', () => {
  it('sets what this version of Node knows', async () => {
    // An unknown flag is told on stderr, and no error.
    const program = 'boundHeap(() => true, 2); boundHeap(() => true, 200);';
    assert.deepEqual(await outputOf(program), ['', '']);
  });

  it('asks until the history of many accounts is read, and no longer', async () => {
    const program = 'let asked = 0; boundHeap(() => { console.log(++asked); return asked === 3; }, 200);';
    assert.deepEqual(await outputOf(program), ['1\n2\n3\n', '']);
  });

  it('waits for no history of a few accounts', async () => {
    assert.deepEqual(await outputOf('boundHeap(() => { throw new Error(); }, 2);'), ['', '']);
  });

  it('can be given up before that', async () => {
    assert.deepEqual(await outputOf('boundHeap(() => false, 200)();'), ['', '']);
  });
});
