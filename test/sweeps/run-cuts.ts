import { sweepCuts } from './cuts.ts';

/** `node build/test/sweeps/run-cuts.js 1000 [seed]`: so many cuts, stalls, kills and restarts under a reader of the feed. */
const disturbances = Number(process.argv[2] ?? '100');
if (!Number.isInteger(disturbances) || disturbances < 1) {
  throw new RangeError(`expected a number of disturbances, was ${process.argv[2]}`);
}
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
const startedAt = performance.now();
const found = await sweepCuts({
  disturbances,
  seed,
  report: (line) => process.stdout.write(`${line}\n`),
});
const seconds = Math.round((performance.now() - startedAt) / 1_000);
process.stdout.write(`${found}; nothing missing, nothing twice, in ${seconds} s\n`);
