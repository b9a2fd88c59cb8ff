import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { optimizeLater } from '../../src/cli/optimize-later.ts';
import { deliverToParent } from '../support/child.ts';
import type { Simulated, SimulatedResult } from './any-simulation.ts';
import { createFiredQuota } from './fired-quota.ts';
import type { PlannedFault } from './planned-fault.ts';
import { commit, countOf, numberOf } from './run-options.ts';
import { simulateInChildren } from './seeds-in-children.ts';
import { shrinkFailure } from './shrink-failure.ts';
import { failureOf, type Outcome, type SeedOutcome, simulateInChild } from './simulate-in-child.ts';
import { simulationOf, tierNamed } from './tier-simulation.ts';

/**
 * `npm run simulate -- --hours 2 --seed 7`: the whole service in virtual time, or with `--tier cluster` two engines and two
 * edges. Without `--plan` faults are drawn from the seed; `--plan none` has none. With `--seeds 10 --jobs 2` ten seeds from
 * that one on are run, two at a time, and with `--seed 7,9` these two; `--quota 50` fails them where a kind of fault happened
 * fewer than 50 times in all. A failure is repeated, and its plan is shrunk to the faults that matter, unless `--no-shrink`.
 * With `--trace` a cluster prints its faults and its logs. `--in-turn` runs several seeds one after the other in this process.
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
    'in-turn': { type: 'boolean', default: false },
  },
});

const hours = numberOf('hours', values.hours);
const jobs = countOf('jobs', values.jobs);
const quota = numberOf('quota', values.quota);
const given = values.seed?.split(',') ?? [String(Math.trunc(Math.random() * 2 ** 31))];
const seeds = given.flatMap((text) => {
  const first = numberOf('seed', text);
  return Array.from({ length: countOf('seeds', values.seeds) }, (_, at) => first + at);
});
const tier = tierNamed(values.tier);
const { invariants, faultKinds, parsePlan, drawPlan, hoursUntil, run } = await simulationOf(tier);
const shrinkMinutes = numberOf('shrink-minutes', values['shrink-minutes']);
const MOST_SHRINKING_RUNS = 100;
// Most functions run too few times in a simulation to be worth the time that optimizing them takes.
optimizeLater(8);
// The stacks of errors that faults cause take a tenth of the time. A failure is repeated with its plan in a file.
if (values.plan === undefined) Error.stackTraceLimit = 0;
type Print = (line: string) => void;
const print: Print = (line) => void process.stdout.write(`${line}\n`);
/** Of this process, in seconds, that were told already: the first simulation has its start to pay for. */
let toldCpu = 0;
// A simulation that nobody waits for any more is of no use.
process.once('disconnect', () => process.exit(1));

if (seeds.length === 1 || values['in-turn']) await runInTurn();
else await runInChildren();

function planFor(seed: number): Simulated['plan'] {
  if (values.plan === undefined) return drawPlan(seed, hours);
  if (values.plan === 'none') return [];
  return parsePlan(JSON.parse(readFileSync(values.plan, 'utf8')));
}

/** Each seed after the other. Of several only the digest is printed, or everything about one that failed. */
async function runInTurn(): Promise<void> {
  let failures = 0;
  for (const seed of seeds) {
    const lines = seeds.length === 1 ? { print, show: () => undefined } : heldLines(`seed ${seed}: `);
    const simulated: Simulated = { seed, hours, tier, plan: planFor(seed) };
    lines.print(`seed ${seed}, ${hours} h, ${tier}, ${simulated.plan.length} faults planned`);
    const outcome = await outcomeOf(simulated, lines.print);
    if (failureOf(outcome) !== undefined) {
      failures += 1;
      lines.show();
      await tellFailure(simulated, outcome, lines.print);
    } else if (seeds.length > 1 && outcome.type === 'told') print(`seed ${seed}: digest ${outcome.digest}`);
    await deliverToParent({ seed, outcome } satisfies SeedOutcome);
  }
  // Nothing of the service is closed, as a killed process closes nothing either.
  process.exit(failures > 0 ? 1 : 0);
}

/** Lines that are printed only once they are to be shown, and at once from then on. */
function heldLines(prefix: string): { readonly print: Print; show(): void } {
  let held: string[] | undefined = [];
  return {
    print(line) {
      if (held === undefined) print(prefix + line);
      else held.push(line);
    },
    show() {
      for (const line of held ?? []) print(prefix + line);
      held = undefined;
    },
  };
}

async function outcomeOf(simulated: Simulated, print: Print): Promise<SeedOutcome['outcome']> {
  try {
    const result = await run(simulated, { report: print, ...(values.trace && { trace: print }) });
    const { violations, digest, virtualMs, fired } = result;
    const taken = takenCpu();
    for (const line of tableOf(result, taken)) print(line);
    return {
      type: 'told',
      violations: [...violations],
      digest,
      virtualMs,
      cpuSeconds: taken,
      fired: Object.fromEntries(fired),
    };
  } catch (error) {
    takenCpu();
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { type: 'ended', why };
  }
}

/** Seconds of CPU since it was last asked. */
function takenCpu(): number {
  const { user, system } = process.cpuUsage();
  const all = (user + system) / 1e6;
  const taken = all - toldCpu;
  toldCpu = all;
  return taken;
}

function tableOf(
  { fired, checked, figures, virtualMs, digest }: SimulatedResult,
  taken: number,
): readonly string[] {
  const row = (name: string, value: string | number) => `${name.padEnd(90)} ${String(value).padStart(12)}`;
  return [
    ...faultKinds.map((kind) => row(`fault ${kind}`, fired.get(kind) ?? 0)),
    ...Object.entries(invariants).map(([name, text]) =>
      row(`invariant ${name}: ${text}`, checked.get(Number(name)) ?? 0),
    ),
    ...Object.entries(figures).map(([name, value]) => row(name.slice(0, 90), value)),
    row('virtual hours', (virtualMs / 3_600_000).toFixed(2)),
    row('seconds of CPU', taken.toFixed(1)),
    `digest ${digest}`,
  ];
}

async function tellFailure(failed: Simulated, failure: Outcome, print: Print): Promise<void> {
  tellViolations(failure, print);
  if (values['no-shrink']) {
    tellPlan(failed, print, values.plan);
    return;
  }
  print('the same is run again');
  const again = await simulateInChild(failed);
  if (!isSameOutcome(failure, again)) {
    print(`NOT DETERMINISTIC: it ends otherwise the second time, with ${failureOf(again) ?? 'no failure'}`);
    tellViolations(again, print);
    tellPlan(failed, print, values.plan);
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
  tellViolations(outcome, print);
  const rest = isMinimal ? 'each of them matters' : 'there was no time to try to leave out all of them';
  print(`faults left: ${simulated.plan.length} of ${failed.plan.length}, after ${runs} runs; ${rest}`);
  for (const fault of simulated.plan) print(`  ${JSON.stringify(fault)}`);
  tellPlan(simulated, print);
}

function isSameOutcome(first: Outcome, again: Outcome): boolean {
  return (
    failureOf(first) === failureOf(again) &&
    (first.type !== 'told' || again.type !== 'told' || first.digest === again.digest)
  );
}

function tellViolations(outcome: Outcome, print: Print): void {
  if (outcome.type === 'ended') print(`FAILURE: ${outcome.why}`);
  if (outcome.type === 'told')
    for (const { at, invariant, message } of outcome.violations) {
      const when = `${(at / 1_000).toFixed(3)} s`;
      print(`VIOLATION of ${invariant} (${invariants[invariant]}) at ${when}: ${message}`);
    }
}

/** Prints what repeats a failure. The plan is written to a file unless it was given in one. */
function tellPlan({ seed, hours, tier, plan }: Simulated, print: Print, file = fileWith(plan)): void {
  print(`seed ${seed}, commit ${commit()}, node ${process.version}, plan in ${file}`);
  print(`again: npm run simulate -- --hours ${hours} --seed ${seed} --tier ${tier} --plan ${file}`);
}

function fileWith(plan: readonly PlannedFault[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tallywire-simulation-')), 'plan.json');
  writeFileSync(file, JSON.stringify(plan, undefined, 1));
  return file;
}

async function runInChildren(): Promise<void> {
  const firedQuota = createFiredQuota(faultKinds);
  let failures = 0;
  let taken = 0;
  const planned = values.plan === undefined ? [] : ['--plan', values.plan];
  const shrinking = values['no-shrink'] ? ['--no-shrink'] : ['--shrink-minutes', values['shrink-minutes']];
  await simulateInChildren(seeds, {
    program: new URL(import.meta.url),
    args: ['--in-turn', '--hours', String(hours), '--tier', tier, ...planned, ...shrinking, '--seed'],
    jobs,
    onOutcome({ seed, outcome }) {
      if (failureOf(outcome) !== undefined) {
        failures += 1;
        print(`seed ${seed} failed${outcome.type === 'ended' ? `: ${outcome.why}` : ''}`);
      }
      if (outcome.type === 'ended') return;
      firedQuota.add(outcome.fired);
      taken += outcome.cpuSeconds;
    },
    print,
  });
  for (const [kind, times] of firedQuota.fired) print(`fault ${kind.padEnd(30)} ${times}`);
  const rare = firedQuota.fired.filter(([, times]) => times < quota);
  for (const [kind, times] of rare) print(`RARE: ${kind} happened ${times} times, fewer than ${quota}`);
  print(`${seeds.length} seeds of ${hours} h, ${failures} failed, in ${taken.toFixed(0)} s of CPU`);
  process.exit(failures > 0 || rare.length > 0 ? 1 : 0);
}
