import { setMaxListeners } from 'node:events';
import { appendFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { WORLD_WALLETS } from '../../src/world/world.ts';
import { median } from '../../streams/internal.ts';
import { eventually } from '../support/eventually.ts';
import { flagsFor, NPM_START } from '../support/npm-start.ts';
import { type Program, runProgram } from '../support/program.ts';
import { listeningPorts, processFigures } from './process-figures.ts';
import { type Slope, slopePerHour } from './slope.ts';
import { type Keys, type LoadTally, startLoad } from './soak-load.ts';

export interface Soak {
  readonly durationMs: number;
  /** Looks come several times in each row. */
  readonly rowMs: number;
  readonly lookMs: number;
  /** As many as by default when undefined. */
  readonly historyDays: number | undefined;
  readonly accounts: number;
  /** Whether the stand-in world is part of the process, as in the demo. */
  readonly isEmbedded: boolean;
  readonly requestsPerSecond: number;
  readonly sockets: number;
  readonly streams: number;
  readonly seed: number;
  /** Each row is appended as a line of JSON, so that a run that is cut off still tells. */
  readonly file: string | undefined;
  /** The data folder of an earlier start to go on with, which is kept; an empty one, for this run alone, when undefined. */
  readonly data: string | undefined;
  readonly report: (line: string) => void;
}

/** What was seen of the process at one look. The least or the most of several says what a median would hide. */
interface Look {
  /** Medians in a row. */
  readonly rssBytes: number;
  readonly anonymousBytes: number;
  readonly fileBytes: number;
  /** Pages of V8's heap, used or not. */
  readonly heapPagesBytes: number;
  /** The least in a row, which is near what a collection leaves. */
  readonly heapBytes: number;
  /** The most in a row. */
  readonly externalBytes: number;
  readonly openFiles: number;
  readonly threads: number;
  readonly loopDelayMs: number;
  readonly cpuSeconds: number;
}

/** What was seen of the process in a part of the run, and what was asked of it meanwhile. */
export interface SoakRow extends LoadTally, Look {
  /** Since the load began. */
  readonly atMs: number;
  /** Of the files of the data folder. */
  readonly storeBytes: number;
}

const ENOUGH = 1_000_000_000;

/** Runs the program as `npm start` does, under a mixed load, and watches what it takes of the machine. */
export async function soak(options: Soak): Promise<readonly SoakRow[]> {
  const { durationMs, rowMs, lookMs, seed, file, report } = options;
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-soak-'));
  const data = options.data ?? join(folder, 'data');
  const world = options.isEmbedded
    ? undefined
    : runProgram(['world', '--port', '0', '--json', '--accounts', String(options.accounts)]);
  const program = startProgram(data, options, await world?.url);
  const ending = new AbortController();
  try {
    const url = await program.url;
    const { pid } = program.process;
    if (pid === undefined) throw new Error('the program has no process');
    const keys = await makeKeys(data);
    await eventually('the counters are served', async () => (await fetch(`${url}/readyz`)).status === 200);
    const controlUrl = world === undefined ? await findControl(url, pid) : `${await world.url}/control`;
    report(`${url}, process ${pid}, data in ${data}, world ${controlUrl ?? 'out of reach: no faults'}`);

    const wallets = Object.values(WORLD_WALLETS);
    const { signal } = ending;
    // Every caller and reader waits for it.
    setMaxListeners(0, signal);
    const load = startLoad({ url, controlUrl, wallets, keys }, { ...options, signal });
    // A load that breaks must not go unnoticed for hours.
    let failure: unknown;
    load.ended.catch((error: unknown) => {
      failure = error ?? new Error('the load failed');
    });
    const startedMs = performance.now();
    const rows: SoakRow[] = [];
    while (performance.now() - startedMs < durationMs) {
      const looks = await lookFor(rowMs, lookMs, () => look(url, pid, keys));
      if (failure !== undefined) throw failure;
      const atMs = Math.round(performance.now() - startedMs);
      const row = { atMs, ...rowOf(looks), storeBytes: await sizeOf(data), ...load.take() };
      rows.push(row);
      if (file !== undefined) appendFileSync(file, `${JSON.stringify({ at: Date.now(), seed, ...row })}\n`);
      report(rowText(row));
    }
    ending.abort();
    await load.ended;
    return rows;
  } finally {
    ending.abort();
    await program.kill('SIGTERM');
    await world?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

function startProgram(data: string, { historyDays, accounts }: Soak, worldUrl: string | undefined): Program {
  return runProgram(
    [
      ...['start', '--json', '--log-level', 'warn', '--port', '0', '--data', data],
      ...['--accounts', String(accounts)],
      ...(historyDays === undefined ? [] : ['--history-days', String(historyDays)]),
      ...(worldUrl === undefined ? [] : ['--world', worldUrl]),
    ],
    NPM_START.env,
    flagsFor(accounts),
  );
}

const KeyLine = z.object({ key: z.string() });

async function makeKeys(data: string): Promise<Keys> {
  const make = async (tier: keyof Keys) => {
    const given = ['--tier', tier, '--limit', String(ENOUGH), '--data', data, '--json'];
    const { stdout } = await runProgram(['keys', 'create', ...given]).ended;
    return KeyLine.parse(JSON.parse(stdout)).key;
  };
  return { FREE: await make('FREE'), PRO: await make('PRO'), INTERNAL: await make('INTERNAL') };
}

/** The embedded world listens on a port of the same process, which is printed nowhere. */
async function findControl(url: string, pid: number): Promise<string | undefined> {
  for (const port of listeningPorts(pid).filter((each) => each !== Number(new URL(url).port))) {
    const control = `http://127.0.0.1:${port}/control`;
    const answer = await fetch(`${control}/addresses`).catch(() => undefined);
    if (answer?.ok === true) return control;
  }
  return undefined;
}

async function lookFor(rowMs: number, lookMs: number, look: () => Promise<Look>): Promise<readonly Look[]> {
  const untilMs = performance.now() + rowMs;
  const looks: Look[] = [];
  do {
    await delay(lookMs);
    looks.push(await look());
  } while (performance.now() + lookMs <= untilMs);
  return looks;
}

async function look(url: string, pid: number, { INTERNAL }: Keys): Promise<Look> {
  const text = await (await fetch(`${url}/metrics`, { headers: { 'x-api-key': INTERNAL } })).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    ...processFigures(pid),
    heapPagesBytes: figure('nodejs_heap_size_total_bytes'),
    heapBytes: figure('nodejs_heap_size_used_bytes'),
    externalBytes: figure('nodejs_external_memory_bytes'),
    loopDelayMs: figure('nodejs_eventloop_lag_max_seconds') * 1_000,
    cpuSeconds: figure('process_cpu_seconds_total'),
  };
}

function rowOf(looks: readonly Look[]) {
  const all = (name: keyof Look) => looks.map((each) => each[name]).sort((a, b) => a - b);
  const middle = (name: keyof Look) => median(all(name)) ?? Number.NaN;
  const most = (name: keyof Look) => Math.max(...all(name));
  return {
    rssBytes: middle('rssBytes'),
    anonymousBytes: middle('anonymousBytes'),
    fileBytes: middle('fileBytes'),
    heapPagesBytes: middle('heapPagesBytes'),
    heapBytes: Math.min(...all('heapBytes')),
    externalBytes: most('externalBytes'),
    openFiles: most('openFiles'),
    threads: most('threads'),
    loopDelayMs: most('loopDelayMs'),
    cpuSeconds: most('cpuSeconds'),
  };
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    // A file may be gone since the folder was listed.
    names.map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const MB = 2 ** 20;

function rowText(row: SoakRow): string {
  const mb = (bytes: number) => (bytes / MB).toFixed(1);
  const asked = Object.values(row.statuses).reduce((sum, each) => sum + each, 0);
  return [
    `${(row.atMs / 60_000).toFixed(1)} min: rss ${mb(row.rssBytes)} MB (own ${mb(row.anonymousBytes)}, files ${mb(row.fileBytes)})`,
    `heap ${mb(row.heapBytes)} of ${mb(row.heapPagesBytes)}, store ${mb(row.storeBytes)}, ${row.openFiles} files, loop ${row.loopDelayMs.toFixed(0)} ms`,
    `${asked} requests, ${row.readers} readers, ${row.frames} frames, ${row.faults} faults`,
  ].join('; ');
}

const GROWING = [
  'rssBytes',
  'anonymousBytes',
  'fileBytes',
  'heapPagesBytes',
  'heapBytes',
  'storeBytes',
] as const;

type Growing = (typeof GROWING)[number];
export type Growth = Readonly<Record<Growing, Slope | undefined>>;

/** In which caches fill; half of a run that is shorter than two of these. */
const WARM_UP_MS = 30 * 60_000;

/** Bytes an hour after the warm-up. */
export function growthOf(rows: readonly Pick<SoakRow, 'atMs' | Growing>[]): Growth {
  const warmUpMs = Math.min(WARM_UP_MS, (rows.at(-1)?.atMs ?? 0) / 2);
  const settled = rows.filter(({ atMs }) => atMs > warmUpMs);
  const slope = (name: Growing) => slopePerHour(settled.map((row) => ({ atMs: row.atMs, value: row[name] })));
  return {
    rssBytes: slope('rssBytes'),
    anonymousBytes: slope('anonymousBytes'),
    fileBytes: slope('fileBytes'),
    heapPagesBytes: slope('heapPagesBytes'),
    heapBytes: slope('heapBytes'),
    storeBytes: slope('storeBytes'),
  };
}
