import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSimulationPool } from '../src/simulation/pool.ts';
import { start } from '../test/server/start.ts';
import {
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  timeline,
} from '../test/support/outputs.ts';
import { EVENTS, forecastRequests } from './forecast-requests.ts';
import { median, rankOf } from './percentiles.ts';
import { print } from './print.ts';
import { compareWithAndWithout, measureWithAndWithout, startSteadyGenerator } from './steady-load.ts';

const ROUNDS = 20;
const SPAN_MS = 2_000;
const REQUESTS_PER_SECOND = 1_000;

/**
 * How the simulation worker slows down requests: p99 of a GET at a steady rate, in spans without and with its work, in
 * turns. A span holds the work of a minute: all events once by the clock and once more after a post. As the span is 2 s
 * long, that is 30 times the usual work. A regression means that forecasts slow down readers.
 */
export async function benchRequestsDuringForecasts(): Promise<void> {
  const server = await startServer();
  const port = Number(new URL(server.url).port);
  const worker = startWorker();
  const generator = await startSteadyGenerator();
  const load = { port, paths: ['/api/v1/meta/account_a'], perSecond: REQUESTS_PER_SECOND, ms: SPAN_MS };
  const p99 = async () => rankOf(await generator.run(load), 99);
  const spans = await measureWithAndWithout(ROUNDS, p99, worker.aMinute);
  generator.stop();
  await worker.stop();
  await server.stop();

  print(
    'p99 of a GET, simulation worker idle',
    `${median(spans.idle).toFixed(2)} ms`,
    `at ${REQUESTS_PER_SECOND}/s`,
  );
  print('  with a minute of forecasts every 2 s', `${median(spans.busy).toFixed(2)} ms`);
  compareWithAndWithout(spans);
  // The first minute warms up.
  const updates = worker.updates.slice(2);
  print(
    `all ${EVENTS} events forecast anew, time of the worker`,
    `${median(updates).toFixed(0)} ms`,
    `goal 200 ms; at most ${Math.max(...updates).toFixed(0)} ms`,
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
  /** The worker's time for each update of all events, in ms. */
  const updates: number[] = [];
  let tookMs = 0;
  let answered = 0;
  let done: () => void = () => {};
  const simulators = createSimulationPool({
    async deliver() {
      answered += 1;
      if (answered % EVENTS === 0) done();
    },
    report(report) {
      if (report.type !== 'simulated') throw new Error(`the worker reported ${report.type}`);
      tookMs += report.ms;
    },
  });
  const nextRequests = forecastRequests();

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

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchRequestsDuringForecasts();
