import { sweepRequests } from './requests.ts';

/** `node build/test/sweeps/run-requests.js 100000 [seed]`: as many generated requests as asked. */
const requests = Number(process.argv[2] ?? '2000');
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
if (!Number.isInteger(requests) || requests < 1) {
  throw new RangeError(`expected a number of requests, was ${process.argv[2]}`);
}
const startedAt = performance.now();
const report = (line: string) => process.stdout.write(`${line}\n`);
report(`seed ${seed}`);
await sweepRequests({ requests, seed, isTimed: true, report });
report(`${requests} requests in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
