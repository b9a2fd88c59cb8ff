import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { optimizeLater } from '../../src/cli/optimize-later.ts';
import { deliverToParent, startChild } from '../support/child.ts';
import type { Simulated, SimulatedResult } from './any-simulation.ts';
import { createFiredQuota } from './fired-quota.ts';
import type { PlannedFault } from './planned-fault.ts';
import { commit, numberOf } from './run-options.ts';
import { shrinkFailure } from './shrink-failure.ts';
import {
  failureOf,
  type Outcome,
  simulateInChild,
  type Told,
  told as toldShape,
} from './simulate-in-child.ts';
import { simulationOf, tierNamed } from './tier-simulation.ts';

/**
 * `npm run simulate -- --hours 2 --seed 7`: the whole service in virtual time, or with `--tier cluster` two engines and two
 * edges. Without `--plan` faults are drawn from the seed; `--plan none` has none. With `--seeds 10 --jobs 2` ten seeds from that one on are run, two at a time; `--quota 50`
 * fails them where a kind of fault happened fewer than 50 times in all. A failure is repeated, and its plan is shrunk to the
 * faults that matter, unless `--no-shrink`. With `--trace` a cluster prints its faults and its logs.
 */
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '1' },
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    plan: { type: 'string' },
    tier: { type: 'string', default: 'sparse' },
    jobs: { type: 'string', default: '1' },
    'no-shrink': { type: 'boolean', default: false },
    'shrink-minutes': { type: 'string', default: '20' },
    quota: { type: 'string', default: '0' },
    trace: { type: 'boolean', default: false },
  },
});

const hours = numberOf('hours', values.hours);
const seeds = numberOf('seeds', values.seeds);
const jobs = numberOf('jobs', values.jobs);
const quota = numberOf('quota', values.quota);
const firstSeed =
  values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : numberOf('seed', values.seed);
const tier = tierNamed(values.tier);
const { invariants, faultKinds, parsePlan, drawPlan, hoursUntil, run } = await simulationOf(tier);
const shrinkMinutes = numberOf('shrink-minutes', values['shrink-minutes']);
const MOST_SHRINKING_RUNS = 100;
// Most functions run too few times in a simulation to be worth the time that optimizing them takes.
optimizeLater(8);
const print = (line: string) => process.stdout.write(`${line}\n`);
// A simulation that nobody waits for any more is of no use.
process.once('disconnect', () => process.exit(1));

if (seeds === 1) await runOne(firstSeed);
else await runMany();

function planFor(seed: number): Simulated['plan'] {
  if (values.plan === undefined) return drawPlan(seed, hours);
  if (values.plan === 'none') return [];
  return parsePlan(JSON.parse(readFileSync(values.plan, 'utf8')));
}

async function runOne(seed: number): Promise<void> {
  const simulated: Simulated = { seed, hours, tier, plan: planFor(seed) };
  print(`seed ${seed}, ${hours} h, ${tier}, ${simulated.plan.length} faults planned`);
  const outcome = await outcomeOf(simulated);
  const failure = failureOf(outcome);
  if (failure !== undefined) await tellFailure(simulated, outcome);
  // Nothing of the service is closed, as a killed process closes nothing either.
  process.exit(failure === undefined ? 0 : 1);
}

async function outcomeOf(simulated: Simulated): Promise<Outcome> {
  try {
    const result = await run(simulated, { report: print, ...(values.trace && { trace: print }) });
    for (const line of tableOf(result)) print(line);
    const told = toldOf(result);
    await deliverToParent(told);
    return { type: 'told', ...told };
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${why}\n`);
    return { type: 'ended', why };
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function toldOf({ violations, digest, virtualMs }: SimulatedResult): Told {
  return { violations: [...violations], digest, virtualMs, cpuSeconds: cpuSeconds() };
}

function tableOf({ fired, checked, figures, virtualMs, digest }: SimulatedResult): readonly string[] {
  const row = (name: string, value: string | number) => `${name.padEnd(90)} ${String(value).padStart(12)}`;
  return [
    ...faultKinds.map((kind) => row(`fault ${kind}`, fired.get(kind) ?? 0)),
    ...Object.entries(invariants).map(([name, text]) =>
      row(`invariant ${name}: ${text}`, checked.get(Number(name)) ?? 0),
    ),
    ...Object.entries(figures).map(([name, value]) => row(name.slice(0, 90), value)),
    row('virtual hours', (virtualMs / 3_600_000).toFixed(2)),
    row('seconds of CPU', cpuSeconds().toFixed(1)),
    `digest ${digest}`,
  ];
}

async function tellFailure(failed: Simulated, failure: Outcome): Promise<void> {
  tellViolations(failure);
  if (values['no-shrink']) {
    tellPlan(failed, values.plan);
    return;
  }
  print('the same is run again');
  const again = await simulateInChild(failed);
  if (!isSameOutcome(failure, again)) {
    print(`NOT DETERMINISTIC: it ends otherwise the second time, with ${failureOf(again) ?? 'no failure'}`);
    tellViolations(again);
    tellPlan(failed, values.plan);
    return;
  }
  print('deterministic: it fails in the same way with the same digest');
  const end = performance.now() + shrinkMinutes * 60_000;
  const { simulated, outcome, isMinimal, runs } = await shrinkFailure(failed, failure, {
    simulate: simulateInChild,
    hoursUntil,
    mostRuns: MOST_SHRINKING_RUNS,
    hasTime: () => performance.now() < end,
    report: print,
  });
  tellViolations(outcome);
  const rest = isMinimal ? 'each of them matters' : 'there was no time to try to leave out all of them';
  print(`faults left: ${simulated.plan.length} of ${failed.plan.length}, after ${runs} runs; ${rest}`);
  for (const fault of simulated.plan) print(`  ${JSON.stringify(fault)}`);
  tellPlan(simulated);
}

function isSameOutcome(first: Outcome, again: Outcome): boolean {
  return (
    failureOf(first) === failureOf(again) &&
    (first.type !== 'told' || again.type !== 'told' || first.digest === again.digest)
  );
}

function tellViolations(outcome: Outcome): void {
  if (outcome.type === 'ended') print(`FAILURE: ${outcome.why}`);
  if (outcome.type === 'told')
    for (const { at, invariant, message } of outcome.violations) {
      const when = `${(at / 1_000).toFixed(3)} s`;
      print(`VIOLATION of ${invariant} (${invariants[invariant]}) at ${when}: ${message}`);
    }
}

/** Prints what repeats a failure. The plan is written to a file unless it was given in one. */
function tellPlan({ seed, hours, tier, plan }: Simulated, file = fileWith(plan)): void {
  print(`seed ${seed}, commit ${commit()}, node ${process.version}, plan in ${file}`);
  print(`again: npm run simulate -- --hours ${hours} --seed ${seed} --tier ${tier} --plan ${file}`);
}

function fileWith(plan: readonly PlannedFault[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tallywire-simulation-')), 'plan.json');
  writeFileSync(file, JSON.stringify(plan, undefined, 1));
  return file;
}

function hasFailed(message: unknown): boolean {
  return (toldShape.safeParse(message).data?.violations.length ?? 0) > 0;
}

/** Each seed has a process of its own. What one that fails prints is passed on at once, since to shrink a plan takes long. */
async function runMany(): Promise<void> {
  const waiting = Array.from({ length: seeds }, (_, index) => firstSeed + index);
  const firedQuota = createFiredQuota(faultKinds);
  let failures = 0;
  const work = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const args = ['--hours', String(hours), '--seed', String(seed), '--tier', tier];
      const planned = values.plan === undefined ? [] : ['--plan', values.plan];
      const shrinking = values['no-shrink']
        ? ['--no-shrink']
        : ['--shrink-minutes', values['shrink-minutes']];
      const child = startChild(new URL(import.meta.url), [...args, ...planned, ...shrinking], {
        flags: process.execArgv,
      });
      let printed = '';
      let held: string[] | undefined = [];
      const show = (text: string) => print(text.trimEnd().replaceAll(/^/gm, `seed ${seed}: `));
      const showHeld = () => {
        if (held !== undefined && held.length > 0) show(held.join(''));
        held = undefined;
      };
      child.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        if (held === undefined) show(text);
        else held.push(text);
      });
      const failed = child.firstMessage(hasFailed);
      failed.then(showHeld, () => undefined);
      const code = await child.ended();
      firedQuota.add(printed);
      if (code === 0) print(`seed ${seed}: ${printed.trim().split('\n').at(-1)}`);
      else {
        showHeld();
        failures += 1;
        print(`seed ${seed} failed with ${code}`);
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
