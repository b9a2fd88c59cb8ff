import { sweepHops } from './hops.ts';

/** `node build/test/sweeps/run-hops.js HOPS [SEED]`: as many hops of a reader between two edges as asked. */
const hops = Number(process.argv[2] ?? '200');
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
if (!Number.isInteger(hops) || hops < 1)
  throw new RangeError(`expected a number of hops, was ${process.argv[2]}`);
const report = (line: string) => process.stdout.write(`${line}\n`);
report(`seed ${seed}`);
const { frames, kills } = await sweepHops({ hops, seed, report });
report(`${hops} hops, ${frames} frames, ${kills} kills: no gap, no double, all as the engine made them`);
