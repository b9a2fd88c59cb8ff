import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startChild } from '../support/child.ts';
import { createFiredQuota } from './fired-quota.ts';
import { FAULT_KINDS, type Plan, planOf, plan as planShape } from './plan.ts';
import { type SimulationResult, simulate } from './simulate.ts';
import { INVARIANTS } from './violations.ts';

/**
 * `npm run simulate -- --hours 2 --seed 7`: the whole service in virtual time. Without `--plan` faults are drawn from the
 * seed; `--plan none` has none. With `--seeds 10 --jobs 2` ten seeds from that one on are run, two at a time; `--quota 50`
 * fails them where a kind of fault happened fewer than 50 times in all.
 */
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '1' },
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    plan: { type: 'string' },
    tier: { type: 'string', default: 'sparse' },
    jobs: { type: 'string', default: '1' },
    quota: { type: 'string', default: '0' },
  },
});

const hours = numberOf('hours', values.hours);
const seeds = numberOf('seeds', values.seeds);
const jobs = numberOf('jobs', values.jobs);
const quota = numberOf('quota', values.quota);
const firstSeed =
  values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : numberOf('seed', values.seed);
const tier = values.tier === 'dense' ? 'dense' : values.tier === 'sparse' ? 'sparse' : undefined;
if (tier === undefined) throw new RangeError(`--tier is dense or sparse, was ${values.tier}`);
const print = (line: string) => process.stdout.write(`${line}\n`);

if (seeds === 1) await runOne(firstSeed);
else await runMany();

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (!(number >= 0)) throw new RangeError(`--${name} is a number, was ${text}`);
  return number;
}

function planFor(seed: number): Plan {
  if (values.plan === undefined) return planOf(seed, hours);
  if (values.plan === 'none') return [];
  return planShape.parse(JSON.parse(readFileSync(values.plan, 'utf8')));
}

async function runOne(seed: number): Promise<void> {
  const plan = planFor(seed);
  print(`seed ${seed}, ${hours} h, ${tier}, ${plan.length} faults planned`);
  const result = await simulate({ seed, hours, tier: tier ?? 'sparse', plan, report: print });
  for (const line of tableOf(result)) print(line);
  if (result.violations.length > 0) tellFailure(seed, plan, result);
  // Nothing of the service is closed, as a killed process closes nothing either.
  process.exit(result.violations.length > 0 ? 1 : 0);
}

function tableOf({ fired, checked, figures, disk, virtualMs, digest }: SimulationResult): readonly string[] {
  const cpu = process.cpuUsage();
  const row = (name: string, value: string | number) => `${name.padEnd(78)} ${String(value).padStart(12)}`;
  return [
    ...FAULT_KINDS.map((kind) => row(`fault ${kind}`, fired.get(kind) ?? 0)),
    ...Object.entries(disk).map(([name, value]) => row(`disk ${name}`, value)),
    ...Object.entries(INVARIANTS).map(([name, text]) =>
      row(`invariant ${name}: ${text}`, [...checked].find(([each]) => String(each) === name)?.[1] ?? 0),
    ),
    ...Object.entries(figures).map(([name, value]) => row(name.slice(0, 78), value)),
    row('virtual hours', (virtualMs / 3_600_000).toFixed(2)),
    row('seconds of CPU', ((cpu.user + cpu.system) / 1e6).toFixed(1)),
    `digest ${digest}`,
  ];
}

function tellFailure(seed: number, plan: Plan, { violations }: SimulationResult): void {
  const file = join(mkdtempSync(join(tmpdir(), 'tallywire-simulation-')), 'plan.json');
  writeFileSync(file, JSON.stringify(plan, undefined, 1));
  for (const { at, invariant, message } of violations)
    print(
      `VIOLATION of ${invariant} (${INVARIANTS[invariant]}) at ${(at / 3_600_000).toFixed(4)} h: ${message}`,
    );
  print(`seed ${seed}, commit ${commit()}, node ${process.version}, plan in ${file}`);
  print(`again: npm run simulate -- --hours ${hours} --seed ${seed} --tier ${tier} --plan ${file}`);
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** Each seed has a process of its own. */
async function runMany(): Promise<void> {
  const waiting = Array.from({ length: seeds }, (_, index) => firstSeed + index);
  const firedQuota = createFiredQuota();
  let failures = 0;
  const work = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const args = ['--hours', String(hours), '--seed', String(seed), '--tier', tier ?? 'sparse'];
      const planned = values.plan === undefined ? [] : ['--plan', values.plan];
      const child = startChild(new URL(import.meta.url), [...args, ...planned]);
      let output = '';
      child.process.stdout?.on('data', (bytes: Buffer) => {
        output += bytes.toString();
      });
      const code = await child.ended();
      firedQuota.add(output);
      if (code === 0) print(`seed ${seed}: ${output.trim().split('\n').at(-1)}`);
      else {
        failures += 1;
        print(`seed ${seed} failed with ${code}\n${output}`);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const [kind, times] of firedQuota.fired) print(`fault ${kind.padEnd(30)} ${times}`);
  const rare = firedQuota.fired.filter(([, times]) => times < quota);
  for (const [kind, times] of rare) print(`RARE: ${kind} happened ${times} times, fewer than ${quota}`);
  print(`${seeds} seeds of ${hours} h, ${failures} failed`);
  process.exit(failures > 0 || rare.length > 0 ? 1 : 0);
}
