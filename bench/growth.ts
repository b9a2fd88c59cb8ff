import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { flagsFor, NPM_START } from '../test/support/npm-start.ts';
import type { Measured, Reopened, Replayed, Restarted } from './growth/measure.ts';
import type { Latencies } from './growth/serve.ts';
import { median, rankOf } from './percentiles.ts';
import { print } from './print.ts';

const COUNTS = (process.env.ACCOUNTS ?? '2,20,200').split(',').map(Number);
const FIRST = COUNTS[0] ?? 2;
const MEGABYTE = 1024 * 1024;
const MEASURE = fileURLToPath(new URL('./growth/measure.js', import.meta.url));
const ENV = { ...process.env, ...NPM_START.env };

const run = promisify(execFile);

/**
 * What more accounts cost, with three events and 90 days of history each. The baseline is the same with two accounts:
 * twice the accounts may take twice of everything, and nothing more.
 */
export async function benchGrowth(): Promise<void> {
  let first: Figures | undefined;
  let before: Step | undefined;
  for (const count of COUNTS) {
    const figures = await figuresOf(count);
    first ??= figures;
    printFigures(count, figures, first);
    before = { count, figures, further: printFurther({ count, figures }, before) };
  }
}

interface Step {
  readonly count: number;
  readonly figures: Figures;
  /** CPU of a second of each account beyond those of the step before, ms. */
  readonly further?: number | undefined;
}

/** What does not depend on the accounts hides what each of them costs. Between two steps it cancels out. */
function printFurther({ count, figures }: Step, before: Step | undefined): number | undefined {
  if (before === undefined) return undefined;
  const more = figures.live.secondMs - before.figures.live.secondMs;
  const each = more / (count - before.count);
  const ratio =
    before.further === undefined ? '' : `; ${(each / before.further).toFixed(2)} x that of the step before`;
  print(
    `  CPU of a second of each account beyond ${before.count}`,
    `${(each * 1_000).toFixed(0)} us`,
    `goal within 20 %${ratio}`,
  );
  return each;
}

interface Figures {
  readonly live: Measured;
  readonly restarted: Restarted;
  readonly resumed: Reopened;
  readonly served: Latencies;
  readonly replayed: Replayed;
}

async function figuresOf(accounts: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-growth-'));
  try {
    const live = await measure<Measured>('live', accounts, folder);
    const restarted = await measure<Restarted>('restart', accounts, folder);
    await measure('stop', accounts, folder);
    const resumed = await measure<Reopened>('resume', accounts, folder);
    const served = await measure<Latencies>('serve', accounts, folder);
    const replayed = await measure<Replayed>('replay', accounts, folder);
    return { live, restarted, resumed, served, replayed };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** In a process of its own, so that each has its own memory. */
async function measure<T>(task: string, accounts: number, folder: string): Promise<T> {
  // As `npm start` runs the program, with a collector that can be called.
  const flags = ['--expose-gc', ...flagsFor(accounts)];
  const { stdout } = await run(process.execPath, [...flags, MEASURE, task, String(accounts), folder], {
    maxBuffer: 64 * MEGABYTE,
    env: ENV,
  });
  return JSON.parse(stdout) as T;
}

function printFigures(count: number, figures: Figures, first: Figures): void {
  const printCpu = (what: string, of: (figures: Figures) => number, unit = 'us', unitsPerMs = 1_000) => {
    const each = (of(figures) * unitsPerMs) / count;
    const ratio = each / ((of(first) * unitsPerMs) / FIRST);
    print(what, `${each.toFixed(0)} ${unit}`, `${ratio.toFixed(2)} x that of ${FIRST}`);
  };
  const printBytes = (what: string, of: (figures: Figures) => number) => {
    const each = (of(figures) - of(first)) / (count - FIRST) / MEGABYTE;
    const more = count === FIRST ? '' : `${each.toFixed(2)} MB each beyond ${FIRST}`;
    print(what, `${(of(figures) / MEGABYTE).toFixed(0)} MB`, more);
  };
  const printLatency = (what: string, of: (figures: Figures) => readonly number[]) => {
    const p99 = rankOf(of(figures), 99);
    const ratio = (p99 / rankOf(of(first), 99)).toFixed(2);
    print(
      what,
      `${p99.toFixed(1)} ms`,
      `${ratio} x that of ${FIRST}; median ${median(of(figures)).toFixed(1)} ms`,
    );
  };
  printCpu(`${count} accounts: CPU of an account's second`, ({ live }) => live.secondMs);
  printCpu('  after a restart', ({ restarted }) => restarted.secondMs);
  printCpu('  replayed, without the store', ({ replayed }) => replayed.secondMs);
  printCpu('  90 days of posts and events replayed', ({ replayed }) => replayed.historyMs, 'ms', 1);
  printBytes('  own memory', ({ live }) => live.memory.own);
  printBytes('  own memory after a restart', ({ restarted }) => restarted.memory.own);
  printBytes('  heap after a restart', ({ restarted }) => restarted.memory.heap);
  printBytes('  pages of files after a restart', ({ restarted }) => restarted.memory.files);
  printBytes('  checkpoint', ({ live }) => live.checkpointBytes);
  printReopened('after an orderly stop', figures.resumed);
  printReopened('after a kill', figures.restarted);
  printLatency('  GET of account a, p99', ({ served }) => served.requests);
  printLatency('  from a fact to a frame of account a, p99', ({ served }) => served.frames);
}

function printReopened(when: string, { servedMs, restartMs, restartCpuMs }: Reopened): void {
  print(`  restart ${when} until stored values are loaded`, `${servedMs.toFixed(0)} ms`);
  print(
    `  restart ${when} until the engine runs`,
    `${restartMs.toFixed(0)} ms`,
    `goal 2,000 ms; ${restartCpuMs.toFixed(0)} ms of CPU`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchGrowth();
