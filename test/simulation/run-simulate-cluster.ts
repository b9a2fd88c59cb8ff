import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startChild } from '../support/child.ts';
import { CLUSTER_INVARIANTS } from './cluster-invariants.ts';
import { CLUSTER_FAULT_KINDS, type ClusterPlan, clusterPlan, clusterPlanOf } from './cluster-plan.ts';
import { commit, numberOf } from './run-options.ts';
import { type ClusterResult, simulateCluster } from './simulate-cluster.ts';

/**
 * `npm run simulate -- --tier cluster --hours 1 --seed 7`: two engines and two edges on a simulated bus, in virtual time.
 * Takes the other options of `run-simulate.ts` too. Run by itself, it also takes `--trace`, which prints faults and logs.
 */
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '1' },
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    plan: { type: 'string' },
    tier: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
});

const hours = numberOf('hours', values.hours);
const seeds = numberOf('seeds', values.seeds);
const jobs = numberOf('jobs', values.jobs);
const firstSeed =
  values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : numberOf('seed', values.seed);
const print = (line: string) => process.stdout.write(`${line}\n`);

if (seeds === 1) await runOne(firstSeed);
else await runMany();

function planFor(seed: number): ClusterPlan {
  if (values.plan === undefined) return clusterPlanOf(seed, hours);
  if (values.plan === 'none') return [];
  return clusterPlan.parse(JSON.parse(readFileSync(values.plan, 'utf8')));
}

async function runOne(seed: number): Promise<void> {
  const plan = planFor(seed);
  print(`seed ${seed}, ${hours} h, cluster, ${plan.length} faults planned`);
  const result = await simulateCluster({
    seed,
    hours,
    plan,
    report: print,
    ...(values.trace && { trace: print }),
  });
  for (const line of tableOf(result)) print(line);
  if (result.violations.length > 0) tellFailure(seed, plan, result);
  // Nothing of the service is closed, as a killed process closes nothing either.
  process.exit(result.violations.length > 0 ? 1 : 0);
}

function tableOf({ fired, checked, figures, virtualMs, digest }: ClusterResult): readonly string[] {
  const cpu = process.cpuUsage();
  const row = (name: string, value: string | number) => `${name.padEnd(90)} ${String(value).padStart(12)}`;
  return [
    ...CLUSTER_FAULT_KINDS.map((kind) => row(`fault ${kind}`, fired.get(kind) ?? 0)),
    ...Object.entries(CLUSTER_INVARIANTS).map(([name, text]) =>
      row(`invariant ${name}: ${text}`, [...checked].find(([each]) => String(each) === name)?.[1] ?? 0),
    ),
    ...Object.entries(figures).map(([name, value]) => row(name.slice(0, 90), value)),
    row('virtual hours', (virtualMs / 3_600_000).toFixed(2)),
    row('seconds of CPU', ((cpu.user + cpu.system) / 1e6).toFixed(1)),
    `digest ${digest}`,
  ];
}

function tellFailure(seed: number, plan: ClusterPlan, { violations }: ClusterResult): void {
  const file = join(mkdtempSync(join(tmpdir(), 'tallywire-simulation-')), 'plan.json');
  writeFileSync(file, JSON.stringify(plan, undefined, 1));
  for (const { at, invariant, message } of violations)
    print(
      `VIOLATION of ${invariant} (${CLUSTER_INVARIANTS[invariant]}) at ${(at / 1_000).toFixed(3)} s: ${message}`,
    );
  print(`seed ${seed}, commit ${commit()}, node ${process.version}, plan in ${file}`);
  print(`again: npm run simulate -- --tier cluster --hours ${hours} --seed ${seed} --plan ${file}`);
}

/** Each seed has a process of its own. */
async function runMany(): Promise<void> {
  const waiting = Array.from({ length: seeds }, (_, index) => firstSeed + index);
  let failures = 0;
  const work = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const planned = values.plan === undefined ? [] : ['--plan', values.plan];
      const args = ['--hours', String(hours), '--seed', String(seed), ...planned];
      const child = startChild(new URL(import.meta.url), args);
      let output = '';
      child.process.stdout?.on('data', (bytes: Buffer) => {
        output += bytes.toString();
      });
      const code = await child.ended();
      if (code === 0) print(`seed ${seed}: ${output.trim().split('\n').at(-1)}`);
      else {
        failures += 1;
        print(`seed ${seed} failed with ${code}\n${output}`);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  print(`${seeds} seeds of ${hours} h, ${failures} failed`);
  process.exit(failures > 0 ? 1 : 0);
}
