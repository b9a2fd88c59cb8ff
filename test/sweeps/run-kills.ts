import { sweepKills } from './kills.ts';

/** `node build/test/sweeps/run-kills.js 1000 60 [seed]`: as many kills as asked, of an engine with so many days of history. */
const kills = Number(process.argv[2] ?? '50');
const historyDays = Number(process.argv[3] ?? '3');
if (!Number.isInteger(kills) || kills < 1)
  throw new RangeError(`expected a number of kills, was ${process.argv[2]}`);
const startedAt = performance.now();
await sweepKills({
  kills,
  seed: Number(process.argv[4] ?? Math.trunc(Math.random() * 2 ** 31)),
  copyEvery: 10,
  historyDays,
  report: (line) => process.stdout.write(`${line}\n`),
});
process.stdout.write(`${kills} kills, 0 lost, in ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
