import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterPlan } from './cluster-plan.ts';
import { digestIn, numberIn, printedRun } from './printed-run.ts';

/** Faults of every kind; leaders are killed, paused, cut off and stopped. */
const PLAN: ClusterPlan = [
  { kind: 'kill', at: 30_000, who: 'leader', downMs: 1_000 },
  { kind: 'pause', at: 53_000, who: 'leader', forMs: 6_000 },
  { kind: 'duplicates', at: 61_000, forMs: 9_000, share: 0.2 },
  { kind: 'late_messages', at: 62_000, forMs: 7_000, share: 0.1 },
  { kind: 'lost_acks', at: 64_000, forMs: 6_000, share: 0.1 },
  { kind: 'partition', at: 72_000, who: 'leader', forMs: 5_000, how: 'cut' },
  { kind: 'kill', at: 82_000, who: 'edge 1', downMs: 500 },
  { kind: 'broken_deliveries', at: 84_000, forMs: 4_000, share: 0.1 },
  { kind: 'partition', at: 86_000, who: 'edge 2', forMs: 7_000, how: 'deaf' },
  { kind: 'kill_in_commit', at: 92_000, who: 'leader', downMs: 1_000, part: 'feed' },
  { kind: 'refused_writes', at: 98_000, who: 'standby', forMs: 4_000, why: 'STORE_FULL' },
  { kind: 'slow_disk', at: 99_000, who: 'leader', forMs: 4_000, commitMs: 500 },
  { kind: 'late_post', at: 100_000, account: 'a', backMs: 600_000 },
  { kind: 'stop', at: 105_000, who: 'leader' },
  { kind: 'cut_readers', at: 108_000, who: 'edge 1' },
  { kind: 'bus_down', at: 112_000, forMs: 3_000 },
  { kind: 'wiped_bus', at: 118_000 },
];
const HOURS = 0.05;
const INVARIANTS = [1, 4, 5, 7, 8, 16, 18, 19, 20, 21, 22, 23, 24, 25, 27];

describe('a simulation of a cluster', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-simulate-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function run(seed: number): Promise<string> {
    const plan = join(folder, 'plan.json');
    writeFileSync(plan, JSON.stringify(PLAN));
    const args = ['--tier', 'cluster', '--hours', String(HOURS), '--seed', String(seed), '--plan', plan];
    return printedRun(new URL('./run-simulate.js', import.meta.url), args);
  }

  it('holds what it promises over fail-overs and hops, and is the same each time for a seed', async function () {
    this.timeout(600_000);
    const [first, again] = await Promise.all([run(1), run(1)]);
    assert.ok(digestIn(first) !== undefined && digestIn(first) === digestIn(again));
    for (const { kind } of PLAN) assert.ok(numberIn(first, `fault ${kind}`) > 0, kind);
    for (const invariant of INVARIANTS)
      assert.ok(numberIn(first, `invariant ${invariant}:`) > 0, String(invariant));
    assert.ok(numberIn(first, 'terms') >= 4);
    assert.ok(numberIn(first, 'engine ended with 75') > 0);
  });
});
