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

  it('moves together for a while what the history of many accounts has left', async () => {
    // Every second of the objects stays, so that each page is half empty.
    const spareAfter = async (isReadAtStart: boolean, compactMs: number) => {
      const program = `
        let isRead = ${isReadAtStart};
        boundHeap(() => isRead, 200, { compactMs: ${compactMs} });
        let kept = Array.from({ length: 150_000 }, (_, place) => ({ place, text: String(place) }));
        gc();
        kept = kept.filter(({ place }) => place % 2 === 0);
        isRead = true;
        const { getHeapSpaceStatistics } = await import('node:v8');
        setTimeout(() => {
          for (let round = 0; round < 12; round++) gc();
          const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
          console.log((old.space_size - old.space_used_size) / kept.length);
        }, 1_000);
      `;
      return Number((await outputOf(program, ['--expose-gc', '--max-semi-space-size=2']))[0]);
    };
    const compacted = await spareAfter(false, 60_000);
    const bytes = `${compacted} bytes are spare for each object`;
    assert.ok(compacted < (await spareAfter(true, 60_000)) / 2, bytes);
    assert.ok(compacted < (await spareAfter(false, 0)) / 2, bytes);
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
      const program = `boundHeap(() => true, 2, { warmMs: ${warmMs} }); ${wait} ${runningOften(200_000)}`;
      return (await outputOf(program, TELLING_OPTIMIZED))[0];
    };
    assert.match(await optimized(600_000), /for optimization/);
    assert.doesNotMatch(await optimized(1), /for optimization/);
  });
});
