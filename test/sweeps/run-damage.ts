import { createRng } from '../../src/world/rng.ts';
import { sweepDamage } from './damage.ts';

/** `node build/test/sweeps/run-damage.js 500 200 1`: as many flipped bits and damaged pages as asked, from a seed. */
const [flips = 500, pages = 200, seed = 1] = process.argv.slice(2).map(Number);
const startedAt = performance.now();
const totals = await sweepDamage({
  flips,
  pages,
  lifeMs: 5_000,
  moments: [0.3, 0.6, 0.9, 1],
  random: createRng(seed).next,
  report: (line) => process.stdout.write(`${line}\n`),
});
for (const [name, count] of Object.entries(totals))
  process.stdout.write(`${name.padEnd(18)}${String(count).padStart(6)}\n`);
process.stdout.write(`seed ${seed}, in ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
process.exitCode = totals.loops + totals.wrongNumbers + totals.silentLosses === 0 ? 0 : 1;
