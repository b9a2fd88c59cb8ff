import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BOUND_HEAP = new URL('../../src/cli/bound-heap.js', import.meta.url).href;

/** What a process of its own prints, as the bounds hold for a whole process. It ends by itself once nothing is waited for. */
async function outputOf(program: string): Promise<readonly [stdout: string, stderr: string]> {
  const whole = `const { boundHeapOnce } = await import('${BOUND_HEAP}'); ${program}`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', whole]);
  return [stdout, stderr];
}

describe('boundHeapOnce', () => {
  it('sets what this version of Node knows', async () => {
    // An unknown flag is told on stderr, and no error.
    assert.deepEqual(await outputOf('boundHeapOnce(() => true, 2); boundHeapOnce(() => true, 200);'), [
      '',
      '',
    ]);
  });

  it('asks until the history is read, and no longer', async () => {
    const program = 'let asked = 0; boundHeapOnce(() => { console.log(++asked); return asked === 3; }, 2);';
    assert.deepEqual(await outputOf(program), ['1\n2\n3\n', '']);
  });

  it('can be given up before that', async () => {
    assert.deepEqual(await outputOf('boundHeapOnce(() => false, 2)();'), ['', '']);
  });
});
