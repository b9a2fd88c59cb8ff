import assert from 'node:assert/strict';
import { printedBy, runningOften, TELLING_OPTIMIZED } from './own-process.ts';

const BOUND_HEAP = new URL('../../src/cli/bound-heap.js', import.meta.url).href;

function outputOf(program: string, flags?: readonly string[]): Promise<readonly [string, string]> {
  return printedBy(`const { boundHeap } = await import('${BOUND_HEAP}'); ${program}`, flags);
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

  it('lets functions of a process with many accounts be optimized as soon as usual', async () => {
    const optimized = async (accounts: number) => {
      const program = `boundHeap(() => true, ${accounts}); ${runningOften(800)}`;
      return (await outputOf(program, TELLING_OPTIMIZED))[0];
    };
    assert.match(await optimized(200), /for optimization/);
    assert.doesNotMatch(await optimized(2), /for optimization/);
  });

  it('has functions optimized later still once the process has run for a while', async function () {
    // From V8 12 on the first bound is the last one possible.
    if (Number.parseInt(process.versions.v8, 10) >= 12) this.skip();
    const optimized = async (warmMs: number) => {
      // Timers of one length fire in the order they were set.
      const wait = 'await new Promise((resolve) => setTimeout(resolve, 1));';
      const program = `boundHeap(() => true, 2, ${warmMs}); ${wait} ${runningOften(200_000)}`;
      return (await outputOf(program, TELLING_OPTIMIZED))[0];
    };
    assert.match(await optimized(600_000), /for optimization/);
    assert.doesNotMatch(await optimized(1), /for optimization/);
  });
});
