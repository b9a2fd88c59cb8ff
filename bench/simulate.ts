import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answer } from '../src/simulation/answer-request.ts';
import { createModelCache } from '../src/simulation/model-cache.ts';
import { DAY_MS } from '../streams/internal.ts';
import { createGather } from '../streams/model/forecast/mixture.ts';
import { createPathMeans, PATHS, tablesOf } from '../streams/model/forecast/paths.ts';
import { EVENTS, forecastRequests } from './forecast-requests.ts';
import { median } from './percentiles.ts';
import { print } from './print.ts';

/** A week ahead at 60 posts a day, the case that costs most of those open at once. */
const DAYS = 7;
const INPUTS = {
  version: 'bench',
  now: 0,
  endAt: DAYS * DAY_MS,
  count: 0,
  mean: 420,
  dispersion: 0.11,
  shares: new Array<number>(DAYS).fill(1 / DAYS),
};
const ROUNDS = 200;
const TURNS = 11;

/** The time of a round of paths in one language, and a sum over its results. */
interface Turn {
  readonly ms: number;
  readonly sum: number;
}
type Runner = () => Turn;

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
    const c = cRunner(folder, stdin);
    const numpy = numpyRunner(stdin);
    // The first turns warm up; the peers do so by themselves.
    for (let turn = 0; turn < 3; turn++) js();
    const turns = Array.from({ length: TURNS }, () => ({ js: js(), c: c?.(), numpy: numpy?.() }));
    const ours = median(turns.map((turn) => turn.js.ms));
    print(
      `paths of a week (${PATHS} a forecast)`,
      `${((ours * 1_000_000) / PATHS).toFixed(1)} ns`,
      'of CPU per path',
    );
    compare(
      '  of the speed of C at -O3 -march=native',
      turns.map((turn) => ratio(turn.js, turn.c)),
      'goal 0.65',
    );
    compare(
      '  of the speed of numpy',
      turns.map((turn) => ratio(turn.js, turn.numpy)),
      'goal 3',
    );
    const nextRequests = forecastRequests();
    const cache = createModelCache();
    const updates = Array.from({ length: 3 * TURNS }, () => {
      const requests = nextRequests();
      return time(() => {
        for (const request of requests) answer(request, request.eventId, cache);
      });
    });
    print(
      `all ${EVENTS} events of an account forecast anew`,
      `${median(updates).toFixed(0)} ms`,
      `of CPU, goal 200; the first ${(updates[0] ?? Number.NaN).toFixed(0)} ms`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

function compare(what: string, ratios: readonly (number | undefined)[], goal: string): void {
  const known = ratios.filter((value) => value !== undefined);
  if (known.length === 0) print(what, 'SKIPPED', 'not installed here');
  else {
    const [low, high] = [Math.min(...known), Math.max(...known)].map((value) => value.toFixed(2));
    print(what, `${median(known).toFixed(2)} x`, `${goal}; ${low} to ${high}`);
  }
}

/** Throws unless both did the same work: their sums must be equal, except for rounding. */
function ratio(ours: Turn, theirs: Turn | undefined): number | undefined {
  if (theirs === undefined) return undefined;
  if (!(Math.abs(theirs.sum / ours.sum - 1) < 1e-9))
    throw new Error(`the paths add up to ${theirs.sum} and not to ${ours.sum}`);
  return theirs.ms / ours.ms;
}

function jsRunner(tables: ReturnType<typeof tablesOf>): Runner {
  const pathMeans = createPathMeans();
  const gather = createGather();
  return () => {
    let sum = 0;
    const ms = time(() => {
      for (let round = 0; round < ROUNDS; round++) {
        const weights = gather(pathMeans(INPUTS, tables, round));
        for (let node = 0; node < weights.length; node++) sum += (weights[node] ?? 0) * node;
      }
    });
    return { ms: ms / ROUNDS, sum };
  };
}

function cRunner(folder: string, input: string): Runner | undefined {
  if (!has('gcc')) return undefined;
  const program = join(folder, 'simulate');
  execFileSync('gcc', ['-O3', '-march=native', '-o', program, source('simulate.c'), '-lm']);
  return () => turnOf(execFileSync(program, args(), { input, encoding: 'utf8' }));
}

function numpyRunner(input: string): Runner | undefined {
  if (!has('python3', ['-c', 'import numpy'])) return undefined;
  return () =>
    turnOf(execFileSync('python3', [source('simulate.py'), ...args()], { input, encoding: 'utf8' }));
}

function source(name: string): string {
  return join(rootAbove(dirname(fileURLToPath(import.meta.url))), 'bench', name);
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

function turnOf(text: string): Turn {
  const [ms = Number.NaN, sum = Number.NaN] = text.split(' ').map(Number);
  return { ms, sum };
}

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** CPU time in ms, as the peers measure it: other programs on the machine do not count. */
function time(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
