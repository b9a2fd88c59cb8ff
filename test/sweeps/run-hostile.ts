import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type Child, startChild } from '../support/child.ts';
import { type Attack, lasting } from './attack.ts';
import { sweepSlowLoris } from './hostile.ts';
import { neverReadEventStreams, neverReadSubscribes, pingFlood, replayStorm } from './hostile-feed.ts';
import { HTTP_ATTACKS } from './hostile-http.ts';
import { OVERSIZE } from './oversize.ts';
import { exchangeRaw, pouring, statusesIn } from './raw-http.ts';
import { SMUGGLED } from './smuggling.ts';

/**
 * `node build/test/sweeps/run-hostile.js 1000 history`: so many connections to each attack, and only those attacks whose
 * name has the word. A server with the usual limits runs in a process of its own, and good clients in another.
 */
const [count = '1000', word = ''] = process.argv.slice(2);
const connections = Number(count);
if (!Number.isInteger(connections) || connections < 1) {
  throw new RangeError(`expected a number of connections, was ${count}`);
}

const wrong: string[] = [];

const ATTACKS: readonly Attack[] = [
  {
    // What the server takes by itself meanwhile.
    name: 'nobody',
    run: () => delay(NOBODY_MS, `${NOBODY_MS / 1_000} s`),
  },
  ...HTTP_ATTACKS,
  lasting('pings never read', pingFlood),
  lasting('subscriptions never read', neverReadSubscribes),
  lasting('event streams never read', neverReadEventStreams),
  lasting('replays of everything', replayStorm),
  {
    name: 'requests that come byte by byte',
    async run({ port }) {
      const { lastClosedMs } = await sweepSlowLoris({ port }, connections);
      return `the last let go after ${(lastClosedMs / 1_000).toFixed(1)} s`;
    },
  },
  {
    name: 'smuggled requests',
    async run({ port }) {
      for (const { what, bytes, statuses } of SMUGGLED) {
        const found = statusesIn((await exchangeRaw({ port, bytes })).text).join();
        if (found !== statuses.join()) wrong.push(`${what}: ${found}`);
      }
      return `${SMUGGLED.length} requests`;
    },
  },
  {
    name: 'oversize requests',
    async run({ port }) {
      const large = OVERSIZE.flatMap((each) => Array.from({ length: OVERSIZE_ROUNDS }, () => each));
      for (const { what, head, more, statuses } of large) {
        const { text } = await exchangeRaw({ port, bytes: head, drip: pouring(more) });
        const found = statusesIn(text).join();
        if (text !== '' && found !== statuses.join()) wrong.push(`${what}: ${found}`);
      }
      return `${large.length} requests`;
    },
  },
];

/** As `npm start` runs the program. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=2', '--max-old-space-size=256'];
const OVERSIZE_ROUNDS = 20;
const WARM_MS = 5_000;
/** The most memory that the server takes meanwhile, between two collections, is the base. */
const QUIET_MS = 10_000;
const NOBODY_MS = 40_000;
const MOST_GROWN_MB = 20;
const SAMPLE_MS = 10;
const MB = 1_000_000;

const say = (line: string) => process.stdout.write(`${line}\n`);
const Heap = z.object({ heapUsed: z.number(), heapPeak: z.number(), connections: z.number() });
const Seen = z.object({
  calls: z.number(),
  failures: z.array(z.string()),
  p99Ms: z.number(),
  frames: z.number(),
  gapMs: z.number(),
  lost: z.number(),
});

async function ask<T>(child: Child, order: string, schema: z.ZodType<T>): Promise<T> {
  const answer = once(child.process, 'message');
  child.process.send(order);
  return schema.parse((await answer)[0]);
}

/**
 * The memory of a process that is its own, in bytes. Pages of files are left out: the store writes all the time, and the
 * system takes its pages back when it needs them.
 */
async function memoryOf(pid: number): Promise<number> {
  // Empty once the process is gone, which is told elsewhere.
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1_024 * Number(/^RssAnon:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

/** Looks at the memory until it is stopped, which resolves to the most it was. */
function watchMemory(pid: number): () => Promise<number> {
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await memoryOf(pid));
      await delay(SAMPLE_MS);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return most;
  };
}

interface Row {
  readonly name: string;
  readonly note: string;
  readonly memoryMb: number;
  readonly heapMb: number;
  readonly p99Ms: number;
  readonly gapMs: number;
}

async function underAttack({ name, run }: Attack): Promise<Row> {
  // A process of its own for each attack, so that none starts on what another has left.
  const target = startChild(new URL('./hostile-target.js', import.meta.url), [], FLAGS);
  const { url } = z.object({ url: z.string() }).parse(await target.firstMessage(() => true));
  const port = Number(new URL(url).port);
  const pid = target.process.pid ?? 0;
  const clients = startChild(new URL('./hostile-clients.js', import.meta.url), [String(port)]);
  try {
    await delay(WARM_MS);
    const rested = await ask(target, 'rest', Heap);
    await ask(clients, 'report', Seen);
    const quietPeakOf = watchMemory(pid);
    await delay(QUIET_MS);
    const base = await quietPeakOf();
    const before = await ask(clients, 'report', Seen);
    const peakOf = watchMemory(pid);
    const note = await Promise.race([
      run({ port, connections }),
      target.ended().then((how) => {
        throw new Error(`the server ended with ${how} under ${name}`);
      }),
    ]);
    const during = await ask(clients, 'report', Seen);
    const heap = await ask(target, 'report', Heap);
    const peak = await peakOf();
    for (const failure of new Set(during.failures)) wrong.push(`${name}: ${failure}`);
    if (during.lost > 0) wrong.push(`${name}: the good reader of the feed lost its connection`);
    const row = {
      name,
      note,
      memoryMb: (peak - base) / MB,
      heapMb: (heap.heapPeak - rested.heapUsed) / MB,
      p99Ms: during.p99Ms,
      gapMs: during.gapMs,
    };
    if (row.memoryMb > MOST_GROWN_MB) wrong.push(`${name}: memory rose by ${row.memoryMb.toFixed(1)} MB`);
    say(
      `${name}: ${note}; ${heap.connections} connections left, base ${(base / MB).toFixed(0)} MB, ` +
        `memory +${row.memoryMb.toFixed(1)} MB, p99 ${before.p99Ms.toFixed(1)} ms before and ` +
        `${during.p99Ms.toFixed(1)} ms during, gap of the feed ${before.gapMs.toFixed(1)} and ${during.gapMs.toFixed(1)} ms`,
    );
    return row;
  } finally {
    clients.process.kill('SIGTERM');
    target.process.kill('SIGTERM');
    await Promise.all([clients.ended(), target.ended()]);
  }
}

const rows: Row[] = [];
for (const attack of ATTACKS.filter(({ name }) => name.includes(word))) {
  rows.push(
    await underAttack(attack).catch((error: unknown) => {
      wrong.push(String(error));
      const lost = Number.NaN;
      return { name: attack.name, note: '', memoryMb: lost, heapMb: lost, p99Ms: lost, gapMs: lost };
    }),
  );
}
say('');
say(`${connections} connections         memory +MB  heap +MB   p99 ms   feed gap p99 ms`);
for (const { name, memoryMb, heapMb, p99Ms, gapMs } of rows) {
  const figures = [memoryMb, heapMb, p99Ms, gapMs].map((figure) => figure.toFixed(1).padStart(9));
  say(`${figures.join('')}   ${name}`);
}
for (const line of wrong) say(`wrong: ${line}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
