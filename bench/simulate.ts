import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gather } from '../streams/model/forecast/mixture.ts';
import { PATHS, pathMeans, tablesOf } from '../streams/model/forecast/paths.ts';
import { simulate } from '../streams/model/forecast/simulate.ts';
import { print } from './print.ts';

/** A week ahead at 60 posts a day, the case that costs most of those open at once. */
const DAYS = 7;
const INPUTS = {
  version: 'bench',
  now: 0,
  endAt: DAYS * 86_400_000,
  count: 0,
  mean: 420,
  dispersion: 0.11,
  shares: new Array<number>(DAYS).fill(1 / DAYS),
};
const ROUNDS = 200;
const TURNS = 7;
const EVENTS = 12;

const NUMPY = `
import sys, time
import numpy as np
mean, days, rounds = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
tables = np.array(sys.stdin.read().split(), dtype=float)
day_table, level_table = tables[:4096], tables[4096:]
index = np.arange(32768, dtype=np.uint32)
total, started = 0.0, time.process_time()
for turn in range(rounds):
    means, generator = np.zeros(32768), 1
    for day in range(days):
        generator = generator * 2221 & 32767
        state = index * np.uint32(generator << 17) + np.uint32(0x9e3779b1 * (day + 1 + turn) & 0xffffffff)
        means += mean / days * day_table[state >> np.uint32(20)]
    means *= level_table[(index * np.uint32(1 << 17) + np.uint32(0x85ebca6b * (turn + 1) & 0xffffffff)) >> np.uint32(20)]
    node = (10 * np.sqrt(means)).astype(np.int64)
    total += means.max() + np.bincount(node)[0] + np.bincount(node, means)[0]
print((time.process_time() - started) * 1000 / rounds, total)
`;

/** What a round of paths costs in one of the languages, in ms. */
type Runner = () => number;

/**
 * How fast forecasts are drawn: all paths of a week and their gathering by mean, the same work in C and numpy.
 * Regression means that worker threads publish forecasts later after a post.
 */
export async function benchSimulate(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-bench-'));
  try {
    const tables = tablesOf(INPUTS);
    const stdin = [...tables.day, ...tables.level].join('\n');
    const js = jsRunner(tables);
    const c = await cRunner(folder, stdin);
    const numpy = await numpyRunner(folder, stdin);
    const times = Array.from({ length: TURNS }, () => ({ js: js(), c: c?.(), numpy: numpy?.() }));
    const ours = median(times.map((time) => time.js));
    print(
      `paths of a week (${PATHS} a forecast)`,
      `${((ours * 1_000_000) / PATHS).toFixed(1)} ns`,
      'per path',
    );
    compare(
      '  of the speed of C at -O3',
      ours,
      times.flatMap((time) => time.c ?? []),
      'goal 0.65',
    );
    compare(
      '  of the speed of numpy',
      ours,
      times.flatMap((time) => time.numpy ?? []),
      'goal 3',
    );
    const whole = median(Array.from({ length: TURNS }, () => time(forecastAll)));
    print(`${EVENTS} whole forecasts of ${PATHS} paths`, `${whole.toFixed(0)} ms`, 'goal 200 ms for 20,000');
  } finally {
    await rm(folder, { recursive: true });
  }
}

function compare(what: string, ours: number, theirs: readonly number[], goal: string): void {
  if (theirs.length === 0) print(what, 'SKIPPED', 'not installed here');
  else print(what, `${(median(theirs) / ours).toFixed(2)} x`, goal);
}

function jsRunner(tables: ReturnType<typeof tablesOf>): Runner {
  return () => {
    let sum = 0;
    const ms = time(() => {
      for (let round = 0; round < ROUNDS; round++) sum += gather(pathMeans(INPUTS, tables, round))[0] ?? 0;
    });
    if (Number.isNaN(sum)) throw new Error('the paths are no numbers');
    return ms / ROUNDS;
  };
}

function forecastAll(): void {
  const buckets = Array.from({ length: 30 }, (_, index) => ({ lo: 20 * index, hi: 20 * index + 19 }));
  for (let event = 0; event < EVENTS; event++) simulate(INPUTS, buckets, event);
}

async function cRunner(folder: string, input: string): Promise<Runner | undefined> {
  const program = join(folder, 'simulate');
  if (!has('gcc')) return undefined;
  const source = join(rootAbove(dirname(fileURLToPath(import.meta.url))), 'bench', 'simulate.c');
  execFileSync('gcc', ['-O3', '-o', program, source, '-lm']);
  return () => firstNumber(execFileSync(program, args(), { input, encoding: 'utf8' }));
}

async function numpyRunner(folder: string, input: string): Promise<Runner | undefined> {
  const program = join(folder, 'simulate.py');
  if (!has('python3', ['-c', 'import numpy'])) return undefined;
  await writeFile(program, NUMPY);
  return () => firstNumber(execFileSync('python3', [program, ...args()], { input, encoding: 'utf8' }));
}

function args(): string[] {
  return [INPUTS.mean, DAYS, ROUNDS].map(String);
}

function has(program: string, test: readonly string[] = ['--version']): boolean {
  try {
    execFileSync(program, test, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function firstNumber(text: string): number {
  return Number(text.split(' ')[0]);
}

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** Of the processor, as the peers measure too: other programs on the machine do not count. */
function time(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
