import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { createNatsServer } from '../test/support/bus/nats-server.ts';
import { NPM_START } from '../test/support/npm-start.ts';
import { runProgram } from '../test/support/program.ts';
import { rankOf } from './percentiles.ts';
import { print } from './print.ts';

/**
 * An edge beside its engine, as processes of their own on one NATS server: how long it takes to start from a snapshot,
 * its memory, the time that the bus adds to a frame, and its CPU per frame and reader beside that of the engine.
 *
 *     node build/bench/edge.js [SECONDS] [READERS] [STARTS]
 */

const seconds = Number(process.argv[2] ?? '60');
const readers = Number(process.argv[3] ?? '200');
const startCount = Number(process.argv[4] ?? '5');
const CHANNELS = [
  { channel: 'counters' },
  { channel: 'prediction' },
  { channel: 'crypto' },
  { channel: 'test' },
];
const TICKS_PER_SECOND = 100;

const Frame = z.looseObject({
  type: z.string(),
  channel: z.string().optional(),
  account: z.string().nullish(),
  seq: z.number().nullish(),
});

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const from = performance.now();
  while (!(await holds().catch(() => false))) {
    if (performance.now() - from > 120_000) throw new Error(`never came: ${what}`);
    await delay(20);
  }
}

const isReady = (url: string) => async () => (await fetch(`${url}/readyz`)).ok;

const Health = z.looseObject({ history_percent: z.record(z.string(), z.number()) });

const hasHistory = (url: string) => async () => {
  const { history_percent } = Health.parse(await (await fetch(`${url}/api/v1/health`)).json());
  return Object.values(history_percent).every((percent) => percent === 100);
};

/** CPU of a process in seconds. */
async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function memoryOf(pid: number): Promise<number> {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

interface Reading {
  /** When the first reader got each frame, by its name, ms. */
  readonly at: Map<string, number>;
  frames: number;
  close(): void;
}

async function read(url: string, count: number): Promise<Reading> {
  const at = new Map<string, number>();
  const sockets: WebSocket[] = [];
  const reading: Reading = {
    at,
    frames: 0,
    close() {
      for (const socket of sockets) socket.terminate();
    },
  };
  for (let index = 0; index < count; index++) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`);
    sockets.push(socket);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.on('message', (data) => {
      const text = String(data);
      if (!text.startsWith('{"type":"update"')) return;
      reading.frames += 1;
      if (index > 0) return;
      const { channel, account, seq } = Frame.parse(JSON.parse(text));
      at.set(`${channel} ${account} ${seq}`, performance.now());
    });
    socket.send(JSON.stringify({ op: 'subscribe', channels: CHANNELS }));
  }
  return reading;
}

/** How much later each frame came to the first reader of the edge, ms. */
function addedBy(engine: Reading, edge: Reading): readonly number[] {
  return Array.from(edge.at).flatMap(([name, at]) => {
    const first = engine.at.get(name);
    return first === undefined ? [] : [at - first];
  });
}

const folder = await mkdtemp(join(tmpdir(), 'tallywire-bench-'));
const server = await createNatsServer();
await server.start();
const world = runProgram(['world', '--port', '0', '--json']);
/** As `npm start` runs it, open to as many readers as are asked for. */
const start = (data: string, ...args: readonly string[]) =>
  runProgram(
    [
      'start',
      ...['--data', join(folder, data), '--port', '0', '--json', '--log-level', 'error'],
      ...['--feed-connects-per-minute', '10000', '--feed-connections-per-address', '5000'],
      ...args,
    ],
    NPM_START.env,
    NPM_START.flags,
  );
const onBus = (data: string, ...args: readonly string[]) =>
  start(data, '--bus', server.url, '--drain-seconds', '0', ...args);
const startEngine = async () => {
  const started = onBus('engine', '--role', 'engine', '--world', await world.url);
  programs.push(started);
  await until('the engine leads', isReady(await started.url));
  return started;
};
const programs = [world];
try {
  const first = await startEngine();
  await until('the history is read', hasHistory(await first.url));
  // A leader makes a snapshot as it begins. In one of a cluster that has run for a while all history is.
  await first.kill('SIGTERM');
  const engine = await startEngine();
  const engineUrl = await engine.url;
  // So that there are frames in the snapshot.
  await delay(10_000);
  const starts: number[] = [];
  let edge = onBus('edge', '--role', 'edge', '--world', await world.url);
  programs.push(edge);
  for (let nth = 0; nth < startCount; nth++) {
    if (nth > 0) {
      await edge.kill('SIGKILL');
      await rm(join(folder, 'edge'), { recursive: true, force: true });
      edge = onBus('edge', '--role', 'edge', '--world', await world.url);
      programs.push(edge);
    }
    const from = performance.now();
    await until('the edge is ready', isReady(await edge.url));
    starts.push(performance.now() - from);
  }
  const edgeUrl = await edge.url;

  // Beside nobody else, so that it is the bus that is measured and not the two cores.
  const quiet = await Promise.all([read(engineUrl, 1), read(edgeUrl, 1)]);
  await delay(seconds * 1_000);
  const [quietEngine, quietEdge] = quiet;
  const addedQuiet = addedBy(quietEngine, quietEdge);
  const quietMemory = await memoryOf(edge.process.pid ?? 0);
  for (const reading of quiet) reading.close();

  const alone = start('alone', '--world', await world.url);
  programs.push(alone);
  const aloneUrl = await alone.url;
  await until('the single process is ready', isReady(aloneUrl));

  const pids = {
    engine: engine.process.pid ?? 0,
    edge: edge.process.pid ?? 0,
    alone: alone.process.pid ?? 0,
  };
  const [atEngine, atEdge, atAlone] = await Promise.all([
    read(engineUrl, 1),
    read(edgeUrl, readers),
    read(aloneUrl, readers),
  ]);
  await delay(2_000);
  const idle = {
    frames: [atEdge.frames, atAlone.frames],
    cpu: [await cpuOf(pids.edge), await cpuOf(pids.alone)],
  };
  await delay(seconds * 1_000);
  const cpu = [await cpuOf(pids.edge), await cpuOf(pids.alone)].map(
    (value, index) => value - (idle.cpu[index] ?? 0),
  );
  const frames = [atEdge.frames, atAlone.frames].map((value, index) => value - (idle.frames[index] ?? 0));
  const added = addedBy(atEngine, atEdge);
  print('from the start of an edge without a folder until it is ready, ms', starts.map(Math.round).join(' '));
  print('memory of the edge with one reader, MB', String(Math.round(quietMemory)));
  print(`  with ${readers}, MB`, String(Math.round(await memoryOf(pids.edge))));
  for (const [load, each] of [
    ['one reader', addedQuiet],
    [`${readers} readers there and at a single process`, added],
  ] as const) {
    print(`added by the bus, ${load}, ${each.length} frames, ms: p50`, rankOf(each, 50).toFixed(1));
    print('  p99', rankOf(each, 99).toFixed(1));
  }
  const [edgeMs = 0, aloneMs = 0] = cpu.map((each, index) => (each * 1e6) / (frames[index] ?? 1));
  print('CPU of the edge per 1,000 frames written', `${edgeMs.toFixed(1)} ms`);
  print(
    '  that of a single process',
    `${aloneMs.toFixed(1)} ms`,
    `${(aloneMs / edgeMs).toFixed(2)} x that of the edge; goal 0.95`,
  );
  for (const reading of [atEngine, atEdge, atAlone]) reading.close();
} finally {
  for (const program of programs.reverse()) await program.kill('SIGKILL');
  await server.remove();
  await rm(folder, { recursive: true, force: true });
}
