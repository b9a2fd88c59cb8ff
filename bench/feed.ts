import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ReadersOrder, read } from './fan-out/readers.ts';
import { type Hello, MARKS, WAYS, type WayName } from './fan-out/ways.ts';
import { print } from './print.ts';
import { median, rankOf } from './rank.ts';

const TASKSET = '/usr/bin/taskset';
const ROUNDS = 12;
const WARM_UP_ROUNDS = 12;
/** Of the time the loop is held. */
const RESOLUTION_MS = 5;
const USUAL: WayName = 'ws, send(JSON.stringify(...)) to each';
const NAMES = Object.keys(WAYS) as readonly WayName[];

/** How updates come: one when all readers have the one before, or as fast as the process takes them. */
interface Pace {
  readonly name: string;
  readonly updates: number;
}

const PACES: readonly Pace[] = [
  { name: 'one update', updates: 1 },
  { name: 'ten in a row', updates: 10 },
];

/**
 * CPU time of the serving process per message of 480 bytes and reader, from the change of a value until it is with
 * every reader. Each way has a process, and so have its readers; all ways in turns. A regression means that readers
 * cost each other more.
 */
export async function benchFeed(): Promise<void> {
  for (const sockets of (process.env.SOCKETS ?? '1000,5000').split(',').map(Number)) await compare(sockets);
}

interface Contestant {
  readonly name: WayName;
  readonly server: ChildProcess;
  readonly readers: ChildProcess;
}

interface Spent {
  readonly cpuUs: number;
  readonly heldMs: number;
}

interface Turn extends Spent {
  readonly tookMs: number;
}

async function compare(sockets: number): Promise<void> {
  const contestants: Contestant[] = [];
  for (const name of NAMES) contestants.push(await enter(name, sockets));
  for (const pace of PACES) {
    const turns = new Map(NAMES.map((name): [WayName, Turn[]] => [name, []]));
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (let place = 0; place < contestants.length; place++) {
        const contestant = contestants[(place + round + WARM_UP_ROUNDS) % contestants.length];
        if (contestant === undefined) continue;
        const took = await takeTurn(contestant, sockets, pace);
        if (round >= 0) turns.get(contestant.name)?.push(took);
      }
    }
    report(sockets, pace, turns);
  }
  for (const { server, readers } of contestants) {
    readers.kill();
    server.kill();
  }
}

async function enter(name: WayName, sockets: number): Promise<Contestant> {
  const server = startOn(0, ['serve', name]);
  const [place] = (await once(server, 'message')) as [{ readonly port: number; readonly hello: Hello }];
  const order: ReadersOrder = { ...place, sockets };
  const readers = startOn(1, ['read', JSON.stringify(order)]);
  await once(readers, 'message');
  return { name, server, readers };
}

/** Servers have one core and readers another, where the system lets us say so: moving about costs up to twice the time. */
function startOn(core: number, args: readonly string[]): ChildProcess {
  const script = fileURLToPath(import.meta.url);
  if (!existsSync(TASKSET) || availableParallelism() < 2) return fork(script, args);
  return fork(script, args, { execPath: TASKSET, execArgv: ['-c', String(core), process.execPath] });
}

async function takeTurn({ server, readers }: Contestant, sockets: number, { updates }: Pace): Promise<Turn> {
  const startedAt = performance.now();
  const heard = once(readers, 'message');
  server.send(updates);
  readers.send(sockets * updates * MARKS);
  await heard;
  const tookMs = performance.now() - startedAt;
  server.send('spent');
  const [spent] = (await once(server, 'message')) as [Spent];
  return { ...spent, tookMs };
}

function report(
  sockets: number,
  { name: pace, updates }: Pace,
  turns: ReadonlyMap<WayName, readonly Turn[]>,
): void {
  const costOf = ({ cpuUs }: Turn) => cpuUs / sockets / updates;
  const usual = (turns.get(USUAL) ?? []).map(costOf);
  for (const [name, own] of turns) {
    const costs = own.map(costOf);
    const ratios = costs.map((cost, index) => (usual[index] ?? Number.NaN) / cost);
    const took = own.map(({ tookMs }) => tookMs);
    const half = `half of them ${rankOf(ratios, 25).toFixed(2)} to ${rankOf(ratios, 75).toFixed(2)}`;
    const times = `all have it after ${median(took).toFixed(0)} ms, p99 ${rankOf(took, 99).toFixed(0)} ms`;
    const held = `loop held ${Math.max(...own.map(({ heldMs }) => heldMs)).toFixed(0)} ms at most`;
    print(
      `${name}, ${sockets} sockets, ${pace}`,
      `${median(ratios).toFixed(2)} x`,
      `${median(costs).toFixed(2)} us; ${half}; ${times}; ${held}`,
    );
  }
}

/** In a process of its own: sends as many updates as it is told to, and tells what that took. */
async function serve(name: WayName): Promise<void> {
  const { port, hello, send } = await WAYS[name]();
  const holds = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  holds.enable();
  let cpu = process.cpuUsage();
  process.on('message', async (order: number | 'spent') => {
    if (order === 'spent') {
      const { user, system } = process.cpuUsage(cpu);
      // What held it to the end is noted when it goes on.
      await delay(3 * RESOLUTION_MS);
      process.send?.({ cpuUs: user + system, heldMs: holds.max / 1e6 } satisfies Spent);
      // Not before the next turn, as what comes first after it is not counted.
      holds.reset();
      return;
    }
    cpu = process.cpuUsage();
    for (let update = 0; update < order; update++) {
      send();
      await turn();
    }
  });
  process.send?.({ port, hello });
}

const [, script, role, what = ''] = process.argv;
if (role === 'serve' && what in WAYS) await serve(what as WayName);
else if (role === 'read') await read(JSON.parse(what));
else if (script === fileURLToPath(import.meta.url)) await benchFeed();
