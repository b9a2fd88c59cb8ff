import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OPTIMIZE_LATER = new URL('../../src/cli/optimize-later.js', import.meta.url).href;

/** What V8 tells of the functions it optimizes while one is run for as long as it takes by default. */
async function optimized(times: number): Promise<readonly [stdout: string, stderr: string]> {
  const program = `
    const { optimizeLater } = await import('${OPTIMIZE_LATER}');
    optimizeLater(${times});
    const sumOfSquares = new Function('n', 'let sum = 0; for (let i = 0; i < n; i++) sum += i * i; return sum;');
    for (let turn = 0; turn < 4_000; turn++) sumOfSquares(5);
  `;
  const flags = ['--trace-opt', '--no-use-osr', '--input-type=module', '--eval', program];
  const { stdout, stderr } = await run(process.execPath, flags);
  return [stdout, stderr];
}

describe('optimizeLater', () => {
  it('has functions optimized that run often, and not sooner than it was told', async () => {
    assert.match((await optimized(1))[0], /for optimization/);
    assert.doesNotMatch((await optimized(100))[0], /for optimization/);
  });

  it('sets what this version of Node knows', async () => {
    // An unknown flag is told on stderr, and no error.
    assert.equal((await optimized(1))[1], '');
  });
});
