import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Measured, Replayed, Restarted } from './growth/measure.ts';
import { print } from './print.ts';

const COUNTS = (process.env.ACCOUNTS ?? '2,20,200').split(',').map(Number);
const FIRST = COUNTS[0] ?? 2;
const MEGABYTE = 1024 * 1024;
const MEASURE = fileURLToPath(new URL('./growth/measure.js', import.meta.url));
/** The heap flags of `npm start`, but for the limit, and a collector that can be called. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=2'];

const run = promisify(execFile);

/**
 * What more accounts cost, with three events and 90 days of history each. The baseline is the same with two accounts:
 * twice the accounts may take twice of everything, and nothing more.
 */
export async function benchGrowth(): Promise<void> {
  const all = new Map<number, Figures>();
  for (const count of COUNTS) all.set(count, await figuresOf(count));
  const first = all.get(FIRST);
  if (first === undefined) return;
  for (const [count, figures] of all) printFigures(count, figures, first);
}

interface Figures {
  readonly live: Measured;
  readonly restarted: Restarted;
  readonly replayed: Replayed;
}

async function figuresOf(accounts: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-growth-'));
  try {
    const live = await measure<Measured>('live', accounts, folder);
    const restarted = await measure<Restarted>('restart', accounts, folder);
    const replayed = await measure<Replayed>('replay', accounts, folder);
    return { live, restarted, replayed };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** In a process of its own, so that each has its own memory. */
async function measure<T>(task: string, accounts: number, folder: string): Promise<T> {
  const { stdout } = await run(process.execPath, [...FLAGS, MEASURE, task, String(accounts), folder]);
  return JSON.parse(stdout) as T;
}

function printFigures(count: number, { live, restarted, replayed }: Figures, first: Figures): void {
  const more = count - FIRST;
  const eachMore = (now: number, then: number) =>
    more === 0 ? '' : `${((now - then) / more / MEGABYTE).toFixed(2)} MB each beyond ${FIRST}`;
  const each = (ms: number) => (1_000 * ms) / count;
  const ratio = (of: (figures: Figures) => number) =>
    (of({ live, restarted, replayed }) / count / (of(first) / FIRST)).toFixed(2);
  print(
    `${count} accounts: CPU of an account's second`,
    `${each(live.secondMs).toFixed(0)} us`,
    `${ratio((f) => f.live.secondMs)} x`,
  );
  print(
    '  after a restart',
    `${each(restarted.secondMs).toFixed(0)} us`,
    `${ratio((f) => f.restarted.secondMs)} x`,
  );
  print(
    '  replayed, without the store',
    `${each(replayed.secondMs).toFixed(0)} us`,
    `${ratio((f) => f.replayed.secondMs)} x`,
  );
  print(
    '  90 days of posts and events replayed, each account',
    `${each(replayed.historyMs / 1_000).toFixed(0)} ms`,
    `${ratio((f) => f.replayed.historyMs)} x`,
  );
  print(
    '  own memory',
    `${(live.memory.own / MEGABYTE).toFixed(0)} MB`,
    eachMore(live.memory.own, first.live.memory.own),
  );
  print(
    '  own memory after a restart',
    `${(restarted.memory.own / MEGABYTE).toFixed(0)} MB`,
    eachMore(restarted.memory.own, first.restarted.memory.own),
  );
  print(
    '  heap after a restart',
    `${(restarted.memory.heap / MEGABYTE).toFixed(0)} MB`,
    eachMore(restarted.memory.heap, first.restarted.memory.heap),
  );
  print('  pages of files after a restart', `${(restarted.memory.files / MEGABYTE).toFixed(0)} MB`);
  print('  restart', `${restarted.restartMs.toFixed(0)} ms`, 'goal 2,000 ms');
  print(
    '  checkpoint',
    `${(live.checkpointBytes / MEGABYTE).toFixed(1)} MB`,
    eachMore(live.checkpointBytes, first.live.checkpointBytes),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchGrowth();
