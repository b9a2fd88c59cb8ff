import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleRun } from './bundled-run.ts';
import type { Plan } from './plan.ts';
import { digestIn, numberIn, printedRun } from './printed-run.ts';

/** Kills at any moment and inside of commits, a full disk, spoiled answers, cut, stalled and many readers. */
const PLAN: Plan = [
  { kind: 'kill', at: 2_500, downMs: 500 },
  {
    kind: 'troubled_facilitator',
    at: 40_000,
    role: 'facilitator',
    how: 'lose',
    times: 1,
    status: 500,
    delayMs: 0,
  },
  { kind: 'kill_in_commit', at: 90_000, downMs: 100, part: 'feed' },
  { kind: 'late_post', at: 95_000, account: 'a', backMs: 600_000 },
  { kind: 'kill_in_commit', at: 110_000, downMs: 3_000, part: 'journal' },
  { kind: 'kill_after_payment', at: 115_000, downMs: 500, state: 'SETTLING' },
  { kind: 'cut_readers', at: 130_000, bytes: 100 },
  { kind: 'storm_of_readers', at: 132_000, forMs: 6_000, readers: 2 },
  { kind: 'stalled_readers', at: 140_000, forMs: 15_000 },
  { kind: 'full_disk', at: 150_000, forMs: 10_000 },
  {
    kind: 'half_answer',
    at: 170_000,
    role: 'posts',
    times: 5,
    status: 500,
    retryAfter: null,
    retryDateMs: null,
    delayMs: 0,
  },
  { kind: 'kill_in_commit', at: 185_000, downMs: 1_000, part: 'outputs' },
];
const HOURS = 0.08;

describe('a simulation of the whole service', () => {
  let folder: string;
  let program: URL;
  before(() => {
    program = bundleRun();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-simulate-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function run(seed: number): Promise<string> {
    const plan = join(folder, 'plan.json');
    writeFileSync(plan, JSON.stringify(PLAN));
    const args = ['--hours', String(HOURS), '--seed', String(seed), '--tier', 'dense', '--plan', plan];
    return printedRun(program, args);
  }

  it('holds what it promises through faults, and is the same each time for a seed', async function () {
    this.timeout(600_000);
    const [first, again] = await Promise.all([run(1), run(1)]);
    assert.ok(digestIn(first) !== undefined && digestIn(first) === digestIn(again));
    for (const { kind } of PLAN) assert.ok(numberIn(first, `fault ${kind}`) > 0, kind);
    for (const invariant of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18])
      assert.ok(numberIn(first, `invariant ${invariant}:`) > 0, String(invariant));
    assert.equal(numberIn(first, 'kills'), 5);
    assert.notEqual(digestIn(await run(2)), digestIn(first));
  });
});
