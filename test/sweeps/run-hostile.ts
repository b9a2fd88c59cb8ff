import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { startChild } from '../support/child.ts';
import { askOnAndOn, p99, sweepSlowLoris } from './hostile.ts';
import { OVERSIZE } from './oversize.ts';
import { exchangeRaw, pouring, statusesIn } from './raw-http.ts';
import { SMUGGLED } from './smuggling.ts';

/** `node build/test/sweeps/run-hostile.js 2000`: so many slow connections, then smuggled and oversize requests. */
const sockets = Number(process.argv[2] ?? '2000');
if (!Number.isInteger(sockets) || sockets < 1) {
  throw new RangeError(`expected a number of connections, was ${process.argv[2]}`);
}
const QUIET_MS = 5_000;
const OVERSIZE_ROUNDS = 20;
const say = (line: string) => process.stdout.write(`${line}\n`);

const target = startChild(new URL('./hostile-target.js', import.meta.url), []);
const { url } = z.object({ url: z.string() }).parse(await target.firstMessage(() => true));
const port = Number(new URL(url).port);
const residentMb = async () => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Math.round(Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1e6);
};

let isQuietOver = false;
const quiet = askOnAndOn(port, () => isQuietOver);
await delay(QUIET_MS);
isQuietOver = true;
const quietTimes = await quiet;
const { goodCalls, p99Ms, lastClosedMs } = await sweepSlowLoris({ port }, sockets);
say(
  `${sockets} slow connections, the last let go after ${(lastClosedMs / 1_000).toFixed(1)} s; ${goodCalls} good ` +
    `calls meanwhile, p99 ${p99Ms.toFixed(1)} ms; before them ${quietTimes.length}, p99 ${p99(quietTimes).toFixed(1)} ms`,
);

const wrong: string[] = [];
for (const { what, bytes, statuses } of SMUGGLED) {
  const found = statusesIn((await exchangeRaw({ port, bytes })).text).join();
  if (found !== statuses.join()) wrong.push(`${what}: ${found}`);
}
say(`${SMUGGLED.length} smuggled requests, ${wrong.length} taken for more than one`);

const before = await residentMb();
const large = OVERSIZE.flatMap((each) => Array.from({ length: OVERSIZE_ROUNDS }, () => each));
for (const { what, head, more, statuses } of large) {
  const { text } = await exchangeRaw({ port, bytes: head, drip: pouring(more) });
  if (text !== '' && statusesIn(text).join() !== statuses.join()) wrong.push(`${what}: ${text.slice(0, 40)}`);
}
say(`${large.length} oversize requests, memory ${before} MB before, ${await residentMb()} MB after`);
for (const line of wrong) say(`wrong: ${line}`);
target.process.kill('SIGTERM');
await target.ended();
process.exitCode = wrong.length === 0 ? 0 : 1;
