import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSimulators } from '../src/engine/simulators.ts';
import { percentile } from '../streams/index.ts';
import { start } from '../test/server/start.ts';
import {
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  timeline,
} from '../test/support/outputs.ts';
import { print } from './print.ts';
import { EVENTS, updatesOfEvents } from './update-of-events.ts';

const ROUNDS = 20;
const SPAN_MS = 2_000;
const REQUESTS_PER_SECOND = 1_000;
const CONNECTIONS = 32;
const HEAD = 'GET /api/v1/meta/account_a HTTP/1.1\r\nHost: localhost\r\n\r\n';

/**
 * What the simulation worker takes from those who ask: p99 of a GET at a steady rate, in spans without and with its
 * work, in turns. A span holds the work of a minute: all events once by the clock and once more after a post. As the
 * span is 2 s long, that is 30 times the work of real life. Regression means that forecasts are felt by readers.
 */
export async function benchBeside(): Promise<void> {
  const server = await startServer();
  const port = Number(new URL(server.url).port);
  const worker = startWorker();
  const generator = fork(fileURLToPath(import.meta.url), ['load']);
  await once(generator, 'message');
  const idle: number[] = [];
  const busy: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    idle.push(await spanP99(generator, port));
    const [p99] = await Promise.all([spanP99(generator, port), worker.aMinute()]);
    busy.push(p99);
    // The first round warms up.
    if (round < 0) for (const list of [idle, busy, worker.updates]) list.length = 0;
  }
  idle.push(await spanP99(generator, port));
  generator.disconnect();
  await worker.stop();
  await server.stop();

  const later = idle.slice(1);
  print(
    'p99 of a GET, simulation worker idle',
    `${median(idle).toFixed(2)} ms`,
    `at ${REQUESTS_PER_SECOND}/s`,
  );
  print('  with a minute of forecasts every 2 s', `${median(busy).toFixed(2)} ms`);
  // Each against the idle spans around it, so that what else the machine does counts for both.
  compare(
    '  ratio of the two',
    later.map((after, round) => (2 * (busy[round] ?? Number.NaN)) / ((idle[round] ?? Number.NaN) + after)),
  );
  compare(
    '  ratio of two idle spans, which is noise',
    later.map((after, round) => after / (idle[round] ?? Number.NaN)),
  );
  const slowest = Math.max(...worker.updates).toFixed(0);
  print(
    `all ${EVENTS} events forecast anew, time of the worker`,
    `${median(worker.updates).toFixed(0)} ms`,
    `goal 200 ms; at most ${slowest} ms`,
  );
}

function compare(what: string, ratios: readonly number[]): void {
  const [low, high] = [25, 75].map((rank) => at(ratios, rank).toFixed(2));
  print(what, `${median(ratios).toFixed(2)} x`, `half of them ${low} to ${high}`);
}

function median(values: readonly number[]): number {
  return at(values, 50);
}

function at(values: readonly number[], rank: number): number {
  return (
    percentile(
      values.toSorted((a, b) => a - b),
      rank,
    ) ?? Number.NaN
  );
}

async function startServer() {
  const events = Array.from({ length: EVENTS }, (_, index) => [
    eventOutput({ eventId: index + 1 }),
    countersOutput({ eventId: index + 1 }),
  ]);
  const loaded = [...events.flat(), ...timeline(100), freshnessOutput(FRESH_AGES)];
  return await start({ loaded, deps: { now: Date.now } });
}

/** The worker as the engine runs it, with an engine behind it that takes every answer at once. */
function startWorker() {
  /** What each update of all events took the worker, in ms. */
  const updates: number[] = [];
  let tookMs = 0;
  let answered = 0;
  let done: () => void = () => {};
  const simulators = createSimulators({
    async deliver() {
      answered += 1;
      if (answered % EVENTS === 0) done();
    },
    report(report) {
      if (report.type !== 'simulated') throw new Error(`the worker reported ${report.type}`);
      tookMs += report.ms;
    },
  });
  const nextRequests = updatesOfEvents();

  async function update(): Promise<void> {
    tookMs = 0;
    const isDone = new Promise<void>((resolve) => {
      done = resolve;
    });
    for (const request of nextRequests()) simulators.ask(request, request.eventId);
    await isDone;
    updates.push(tookMs);
  }

  return {
    updates,
    async aMinute(): Promise<void> {
      for (const untilNext of [SPAN_MS / 2, 0]) {
        await update();
        await delay(untilNext);
      }
    },
    stop: () => simulators.stop(),
  };
}

/** In ms, of all requests of a span. */
async function spanP99(generator: ChildProcess, port: number): Promise<number> {
  generator.send({ port });
  const [latencies] = (await once(generator, 'message')) as [readonly number[]];
  return at(latencies, 99);
}

/** Asks at a steady rate over kept connections, whatever the server does. To wait for a free connection is to wait too. */
async function load(port: number): Promise<readonly number[]> {
  const latencies: number[] = [];
  const waiting: number[] = [];
  const idle: Socket[] = [];
  const askedAt = new Map<Socket, number>();
  const send = (socket: Socket, at: number) => {
    askedAt.set(socket, at);
    socket.write(HEAD);
  };
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      connectTo(port, (socket) => {
        latencies.push(performance.now() - (askedAt.get(socket) ?? Number.NaN));
        const next = waiting.shift();
        if (next === undefined) idle.push(socket);
        else send(socket, next);
      }),
    ),
  );
  idle.push(...sockets);
  const total = (REQUESTS_PER_SECOND * SPAN_MS) / 1_000;
  const startedAt = performance.now();
  for (let asked = 0; asked < total; ) {
    await delay(1);
    const due = Math.min(total, ((performance.now() - startedAt) * REQUESTS_PER_SECOND) / 1_000);
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

/** A connection that tells of every whole answer. */
async function connectTo(port: number, answered: (socket: Socket) => void): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  let pending = '';
  socket.setNoDelay(true).setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    pending += chunk;
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\nContent-Length: (\d+)/i.exec(pending.slice(0, headEnd))?.[1] ?? 0);
    if (pending.length < headEnd + 4 + length) return;
    if (!pending.startsWith('HTTP/1.1 200')) throw new Error(`answered ${pending.slice(0, 60)}`);
    pending = '';
    answered(socket);
  });
  await once(socket, 'connect');
  return socket;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'load') {
    process.on('message', async ({ port }: { port: number }) => process.send?.(await load(port)));
    process.send?.('ready');
  } else await benchBeside();
}
