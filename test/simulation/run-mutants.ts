import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Simulated } from './any-simulation.ts';
import { type Mutant, readMutants } from './mutant.ts';
import { copyBuild, type MutantCopy } from './mutant-copy.ts';
import { endOf } from './planned-fault.ts';
import { failureOf, type Outcome, simulateInChild } from './simulate-in-child.ts';
import { simulationOf } from './tier-simulation.ts';

/**
 * `npm run mutants -- 01-publish-before-store --hours 1 --seeds 3 --jobs 2`: puts one bug at a time into a copy of the
 * build, and looks whether the simulation finds it. A mutant with a plan is run with that one, any other with the faults
 * of so many seeds of so many hours, as all are with `--drawn`. Without the bug every one of these simulations has to pass. All
 * mutants unless named.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    hours: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '1' },
    /** Whether faults are drawn for those that have a plan, too. */
    drawn: { type: 'boolean', default: false },
    /** The real time that one simulation may take. */
    minutes: { type: 'string', default: '15' },
  },
});

const hours = numberOf('hours', values.hours);
const seeds = numberOf('seeds', values.seeds);
const jobs = numberOf('jobs', values.jobs);
const mostMs = numberOf('minutes', values.minutes) * 60_000;
const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'test/simulation/mutants');
const print = (line: string) => process.stdout.write(`${line}\n`);
const PLANNED_SEED = 1;

interface Finding {
  readonly mutant: Mutant;
  readonly isCaught: boolean;
  readonly by: string;
  readonly virtualMs: number;
  readonly cpuSeconds: number;
}

const wanted = readMutants(folder).filter(
  ({ name }) => positionals.length === 0 || positionals.some((each) => name.startsWith(each)),
);
if (wanted.length === 0) throw new RangeError(`no mutant is named ${positionals.join(' or ')}`);
const waiting = [...wanted];
const findings: Finding[] = [];
/** What came of each simulation without a bug. */
const sound = new Map<string, Promise<Outcome>>();
await Promise.all(Array.from({ length: Math.min(jobs, wanted.length) }, work));
tell();

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new RangeError(`--${name} is a number above 0, was ${text}`);
  return number;
}

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

async function work(): Promise<void> {
  const copy = copyBuild(root);
  try {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const finding = await lookFor(mutant, copy);
      findings.push(finding);
      print(`${finding.isCaught ? 'caught' : 'SURVIVED'}: ${lineOf(finding)}`);
    }
  } finally {
    copy.remove();
  }
}

async function simulationsOf(mutant: Mutant): Promise<readonly Simulated[]> {
  const { tier } = mutant;
  const { parsePlan, drawPlan, hoursUntil } = await simulationOf(tier);
  if (mutant.plan !== undefined && !values.drawn) {
    const plan = parsePlan(JSON.parse(readFileSync(join(folder, 'plans', mutant.plan), 'utf8')));
    const untilLast = hoursUntil(Math.max(0, ...plan.map(endOf)));
    return [{ seed: PLANNED_SEED, hours: mutant.hours ?? untilLast, tier, plan }];
  }
  return Array.from({ length: seeds }, (_, at) => {
    const seed = PLANNED_SEED + at;
    return { seed, hours, tier, plan: drawPlan(seed, hours) };
  });
}

async function lookFor(mutant: Mutant, copy: MutantCopy): Promise<Finding> {
  let virtualMs = 0;
  let cpuSeconds = 0;
  for (const simulated of await simulationsOf(mutant)) {
    const without = await soundOutcome(simulated, copy);
    if (failureOf(without) !== undefined)
      return { mutant, isCaught: false, by: `fails without it: ${textOf(without)}`, virtualMs, cpuSeconds };
    const outcome = await copy.with(mutant, () =>
      simulateInChild(simulated, { runner: copy.runner, mostMs }),
    );
    if (outcome.type === 'told') {
      cpuSeconds += outcome.cpuSeconds;
      virtualMs += outcome.violations[0]?.at ?? outcome.virtualMs;
    }
    const isCaught = failureOf(outcome) !== undefined && outcome.type !== 'overdue';
    if (isCaught || outcome.type === 'overdue')
      return { mutant, isCaught, by: textOf(outcome), virtualMs, cpuSeconds };
  }
  return { mutant, isCaught: false, by: 'nothing', virtualMs, cpuSeconds };
}

function textOf(outcome: Outcome): string {
  if (outcome.type === 'ended') return outcome.why.split('\n').slice(0, 3).join(' ');
  if (outcome.type === 'overdue') return 'no end in time';
  const [first] = outcome.violations;
  return first === undefined ? 'nothing' : `${first.invariant}: ${first.message}`;
}

/** The same simulation without a bug, run once for all mutants. */
function soundOutcome(simulated: Simulated, { runner }: MutantCopy): Promise<Outcome> {
  const name = JSON.stringify(simulated);
  const known = sound.get(name) ?? simulateInChild(simulated, { runner, mostMs });
  sound.set(name, known);
  return known;
}

function lineOf({ mutant, by, virtualMs, cpuSeconds }: Finding): string {
  const minutes = (virtualMs / 60_000).toFixed(1);
  return `${mutant.name} by ${by.slice(0, 160)}, after ${minutes} virtual min, ${cpuSeconds.toFixed(1)} s of CPU`;
}

function tell(): void {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  print(row(['Mutant', 'What it does', 'Caught by', 'Virtual min', 'CPU s']));
  print(row(['---', '---', '---', '---', '---']));
  for (const { mutant, isCaught, by, virtualMs, cpuSeconds } of findings.toSorted((a, b) =>
    a.mutant.name < b.mutant.name ? -1 : 1,
  )) {
    const caughtBy = isCaught ? (/^\d+(?=:)/.exec(by)?.[0] ?? 'the end of the process') : `nothing (${by})`;
    print(
      row([
        `\`${mutant.name}\``,
        mutant.description,
        caughtBy,
        (virtualMs / 60_000).toFixed(1),
        cpuSeconds.toFixed(1),
      ]),
    );
  }
  const survivors = findings.filter(({ isCaught }) => !isCaught);
  print(`${findings.length} mutants, ${survivors.length} survived`);
  process.exit(survivors.length > 0 ? 1 : 0);
}
