import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectTo } from './http-connection.ts';
import { median, rankOf } from './percentiles.ts';
import { print } from './print.ts';

const CONNECTIONS = 32;

/** Requests at a steady rate, whatever the server does. */
export interface SteadyLoad {
  readonly port: number;
  /** Requested in turn, with a PRO key. */
  readonly paths: readonly string[];
  readonly perSecond: number;
  readonly ms: number;
}

export interface Generator {
  /** The latency of each request, in ms. */
  run(load: SteadyLoad): Promise<readonly number[]>;
  stop(): void;
}

/** A process of its own that sends the requests. */
export async function startSteadyGenerator(): Promise<Generator> {
  const child = fork(fileURLToPath(import.meta.url), ['load']);
  await once(child, 'message');
  return {
    async run(load) {
      child.send(load);
      return new Promise((resolve, reject) => {
        const onExit = (code: number | null) => reject(new Error(`the generator ended with ${code}`));
        child.once('exit', onExit);
        child.once('message', (latencies: readonly number[]) => {
          child.off('exit', onExit);
          resolve(latencies);
        });
      });
    },
    stop: () => child.disconnect(),
  };
}

/** p99 of spans of a load, without and with other work. */
export interface Spans {
  readonly idle: readonly number[];
  readonly busy: readonly number[];
}

/** Measures in turns: a span without the work, one with it, and so on. The first round warms up. */
export async function measureWithAndWithout(
  rounds: number,
  spanP99: () => Promise<number>,
  work: () => Promise<void>,
): Promise<Spans> {
  const idle: number[] = [];
  const busy: number[] = [];
  for (let round = -1; round < rounds; round++) {
    idle.push(await spanP99());
    const [p99] = await Promise.all([spanP99(), work()]);
    busy.push(p99);
    if (round < 0) for (const list of [idle, busy]) list.length = 0;
  }
  idle.push(await spanP99());
  return { idle, busy };
}

/** Compares each busy span with the idle ones around it, so that other load of the machine counts for both. */
export function compareWithAndWithout({ idle, busy }: Spans): void {
  const later = idle.slice(1);
  printRatios(
    '  ratio of the two',
    later.map((after, round) => (2 * (busy[round] ?? Number.NaN)) / ((idle[round] ?? Number.NaN) + after)),
  );
  printRatios(
    '  ratio of two idle spans, which is noise',
    later.map((after, round) => after / (idle[round] ?? Number.NaN)),
  );
}

function printRatios(what: string, ratios: readonly number[]): void {
  const [low, high] = [25, 75].map((rank) => rankOf(ratios, rank).toFixed(2));
  print(what, `${median(ratios).toFixed(2)} x`, `half of them ${low} to ${high}`);
}

/** Over kept connections; waiting for a free one counts too. */
async function load({ port, paths, perSecond, ms }: SteadyLoad): Promise<readonly number[]> {
  const latencies: number[] = [];
  const waiting: number[] = [];
  const idle: Socket[] = [];
  const askedAt = new Map<Socket, number>();
  let sent = 0;
  const send = (socket: Socket, at: number) => {
    askedAt.set(socket, at);
    socket.write(
      `GET ${paths[sent++ % paths.length]} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: demo_pro\r\n\r\n`,
    );
  };
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      connectTo(port, (socket, status) => {
        if (status !== 200) throw new Error(`answered ${status}`);
        latencies.push(performance.now() - (askedAt.get(socket) ?? Number.NaN));
        const next = waiting.shift();
        if (next === undefined) idle.push(socket);
        else send(socket, next);
      }),
    ),
  );
  idle.push(...sockets);
  const total = (perSecond * ms) / 1_000;
  const startedAt = performance.now();
  for (let asked = 0; asked < total; ) {
    await delay(1);
    const due = Math.min(total, ((performance.now() - startedAt) * perSecond) / 1_000);
    for (; asked < due; asked++) {
      const socket = idle.shift();
      if (socket === undefined) waiting.push(performance.now());
      else send(socket, performance.now());
    }
  }
  while (latencies.length < total) await delay(1);
  for (const socket of sockets) socket.destroy();
  return latencies;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', async (asked: SteadyLoad) => process.send?.(await load(asked)));
  process.send?.('ready');
}
