import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { simulateInChildren } from './seeds-in-children.ts';
import type { SeedOutcome } from './simulate-in-child.ts';

/** Tells of each seed that it passed, and prints its process; ends at seed 4 with what it is given. */
const PROGRAM = `
const [code, seeds] = process.argv.slice(2);
const outcome = { type: 'told', violations: [], digest: '', virtualMs: 1, cpuSeconds: 1, fired: {} };
for (const seed of seeds.split(',').map(Number)) {
  if (seed === 4) process.exit(Number(code));
  console.log(seed + ' in ' + process.pid);
  await new Promise((resolve) => process.send({ seed, outcome }, resolve));
}
process.exit(0);
`;

describe('simulateInChildren', () => {
  let folder: string;
  let program: URL;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-seeds-'));
    const file = join(folder, 'program.mjs');
    writeFileSync(file, PROGRAM);
    program = pathToFileURL(file);
  });
  after(() => rmSync(folder, { recursive: true }));

  async function run(seeds: readonly number[], jobs: number) {
    const outcomes = new Map<number, SeedOutcome['outcome']>();
    const lines: string[] = [];
    await simulateInChildren(seeds, {
      program,
      args: ['3'],
      jobs,
      onOutcome: ({ seed, outcome }) => void outcomes.set(seed, outcome),
      print: (line) => void lines.push(line),
    });
    return { outcomes, processes: new Set(lines.map((line) => line.split(' ').at(-1))) };
  }

  it('has one process take several seeds', async () => {
    const { outcomes, processes } = await run([1, 2, 3], 1);
    assert.deepEqual([...outcomes.keys()], [1, 2, 3]);
    assert.equal(processes.size, 1);
  });

  it('shares them among processes that run at the same time', async () => {
    const { outcomes, processes } = await run([5, 6, 7], 2);
    assert.deepEqual([...outcomes.keys()].sort(), [5, 6, 7]);
    assert.equal(processes.size, 2);
  });

  it('goes on in another process after one that ended early, and tells at which seed', async () => {
    const { outcomes, processes } = await run([2, 3, 4, 5, 6], 1);
    assert.deepEqual([...outcomes.keys()].sort(), [2, 3, 4, 5, 6]);
    assert.deepEqual(outcomes.get(4), { type: 'ended', why: 'the process ended with 3' });
    assert.ok([2, 3, 5, 6].every((seed) => outcomes.get(seed)?.type === 'told'));
    assert.equal(processes.size, 2);
  });
});
