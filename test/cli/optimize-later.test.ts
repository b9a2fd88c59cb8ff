import assert from 'node:assert/strict';
import { printedBy, runningOften, TELLING_OPTIMIZED } from './own-process.ts';

const OPTIMIZE_LATER = new URL('../../src/cli/optimize-later.js', import.meta.url).href;

/** What V8 tells of the functions it optimizes while one is run for as long as it takes by default. */
function optimized(times: number): Promise<readonly [stdout: string, stderr: string]> {
  const load = `const { optimizeLater } = await import('${OPTIMIZE_LATER}'); optimizeLater(${times});`;
  return printedBy(`${load} ${runningOften(800)}`, TELLING_OPTIMIZED);
}

describe('optimizeLater', () => {
  it('has functions optimized that run often, and not sooner than it was told', async () => {
    assert.match((await optimized(1))[0], /for optimization/);
    assert.doesNotMatch((await optimized(15))[0], /for optimization/);
  });

  it('takes any number of times', async () => {
    assert.doesNotMatch((await optimized(10_000))[0], /for optimization/);
  });

  it('sets what this version of Node knows', async () => {
    // An unknown flag is told on stderr, and no error.
    assert.equal((await optimized(1))[1], '');
  });
});
