import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ReadersOrder, read } from './fan-out/readers.ts';
import { type Handshake, MARKS, WAYS, type WayName } from './fan-out/ways.ts';
import { median, rankOf } from './percentiles.ts';
import { print } from './print.ts';

const SETARCH = '/usr/bin/setarch';
const TASKSET = '/usr/bin/taskset';
const ROUNDS = Number(process.env.ROUNDS ?? 3);
/** Until the code is compiled and the garbage of connecting is collected. */
const WARM_UP_MESSAGES = 150_000;
const MESSAGES = 50_000;
/**
 * After a pause of 200 ms TCP confirms each of the next 16 messages for itself, which costs the sender half as much
 * again. A feed makes no such pauses.
 */
const LEAST_UPDATES = 20;
/** Resolution of the delay of the event loop. */
const RESOLUTION_MS = 5;
const USUAL: WayName = 'ws, send(JSON.stringify(...)) to each';
const NAMES = Object.keys(WAYS) as readonly WayName[];

/** How updates come: each when all readers have the one before, or some as fast as the process takes them. */
interface Pace {
  readonly name: string;
  readonly atOnce: number;
}

const PACES: readonly Pace[] = [
  { name: 'one by one', atOnce: 1 },
  { name: 'ten in a row', atOnce: 10 },
];

/**
 * CPU time of the serving process per message of 480 bytes and reader, from the change of a value until it is with
 * every reader. The ways take turns, each turn with a new process and new readers. A regression means that readers
 * cost each other more.
 */
export async function benchFeed(): Promise<void> {
  for (const sockets of (process.env.SOCKETS ?? '1000,5000').split(',').map(Number)) await compare(sockets);
}

interface Spent {
  readonly cpuUs: number;
  readonly blockedMs: number;
}

interface Turn extends Spent {
  readonly name: WayName;
  readonly pace: Pace;
  /** The time of each sending until all readers had the update. */
  readonly tookMs: readonly number[];
}

async function compare(sockets: number): Promise<void> {
  const turns: Turn[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let place = 0; place < NAMES.length; place++) {
      const name = NAMES[(place + round) % NAMES.length];
      if (name === undefined) continue;
      const contestant = await startContestant(name, sockets);
      for (const pace of PACES) turns.push(await takeTurn(contestant, sockets, pace));
      await stopContestant(contestant);
    }
  }
  for (const pace of PACES) report(sockets, pace, turns);
}

interface Contestant {
  readonly name: WayName;
  readonly server: ChildProcess;
  readonly readers: ChildProcess;
}

async function startContestant(name: WayName, sockets: number): Promise<Contestant> {
  const server = startOn(0, ['serve', name]);
  const [place] = (await once(server, 'message')) as [
    { readonly port: number; readonly handshake: Handshake },
  ];
  const order: ReadersOrder = { ...place, sockets };
  const readers = startOn(1, ['read', JSON.stringify(order)]);
  await once(readers, 'message');
  return { name, server, readers };
}

async function stopContestant({ server, readers }: Contestant): Promise<void> {
  for (const child of [readers, server]) {
    child.kill();
    await once(child, 'exit');
  }
}

/**
 * Where the system allows it, servers run on one core and readers on another, and all have the same memory layout:
 * changing cores costs up to twice the time, and a random layout up to half as much again.
 */
function startOn(core: number, args: readonly string[]): ChildProcess {
  const script = fileURLToPath(import.meta.url);
  if (![SETARCH, TASKSET].every(existsSync) || availableParallelism() < 2) return fork(script, args);
  const execArgv = ['-R', TASKSET, '-c', String(core), process.execPath];
  return fork(script, args, { execPath: SETARCH, execArgv });
}

async function takeTurn({ name, server, readers }: Contestant, sockets: number, pace: Pace): Promise<Turn> {
  const { atOnce } = pace;
  async function send(): Promise<number> {
    const startedAt = performance.now();
    const received = once(readers, 'message');
    server.send(atOnce);
    readers.send(sockets * atOnce * MARKS);
    await received;
    return performance.now() - startedAt;
  }
  async function spent(): Promise<Spent> {
    server.send('spent');
    const [answer] = (await once(server, 'message')) as [Spent];
    return answer;
  }
  for (let sent = 0; sent < updatesOf(WARM_UP_MESSAGES, sockets); sent += atOnce) await send();
  await spent();
  const tookMs: number[] = [];
  for (let sent = 0; sent < updatesOf(MESSAGES, sockets); sent += atOnce) tookMs.push(await send());
  return { name, pace, ...(await spent()), tookMs };
}

function updatesOf(messages: number, sockets: number): number {
  return Math.max(LEAST_UPDATES, Math.round(messages / sockets));
}

function report(sockets: number, pace: Pace, turns: readonly Turn[]): void {
  const costOf = ({ cpuUs }: Turn) => cpuUs / sockets / updatesOf(MESSAGES, sockets);
  const turnsOf = (wanted: WayName) => turns.filter((turn) => turn.name === wanted && turn.pace === pace);
  const usual = turnsOf(USUAL).map(costOf);
  for (const name of NAMES) {
    const own = turnsOf(name);
    const costs = own.map(costOf);
    const ratios = costs.map((cost, round) => (usual[round] ?? Number.NaN) / cost);
    const took = own.flatMap(({ tookMs }) => tookMs);
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${own.length} rounds`;
    const times = `all have it after ${median(took).toFixed(0)} ms, p99 ${rankOf(took, 99).toFixed(0)} ms`;
    const blocked = `loop blocked ${Math.max(...own.map(({ blockedMs }) => blockedMs)).toFixed(0)} ms at most`;
    print(
      `${name}, ${sockets} sockets, ${pace.name}`,
      `${median(ratios).toFixed(2)} x`,
      `${median(costs).toFixed(2)} us; ${range}; ${times}; ${blocked}`,
    );
  }
}

/** Runs in its own process: sends as many updates as requested, and reports the CPU time since the last report. */
async function serve(name: WayName): Promise<void> {
  const { port, handshake, send } = await WAYS[name]();
  const loopDelay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  loopDelay.enable();
  let before = process.cpuUsage();
  process.on('message', async (order: number | 'spent') => {
    if (order === 'spent') {
      const { user, system } = process.cpuUsage(before);
      // A delay is recorded only once the loop goes on.
      await delay(3 * RESOLUTION_MS);
      process.send?.({ cpuUs: user + system, blockedMs: loopDelay.max / 1e6 } satisfies Spent);
      loopDelay.reset();
      before = process.cpuUsage();
      return;
    }
    for (let update = 0; update < order; update++) {
      send();
      await turn();
    }
  });
  process.send?.({ port, handshake });
}

const [, script, role, what = ''] = process.argv;
if (role === 'serve' && what in WAYS) await serve(what as WayName);
else if (role === 'read') await read(JSON.parse(what));
else if (script === fileURLToPath(import.meta.url)) await benchFeed();
