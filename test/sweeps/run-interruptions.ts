import { sweepInterruptions } from './interruptions.ts';

/**
 * `node build/test/sweeps/run-interruptions.js COUNT SEED ACTS`: so many kills of each act, at calls drawn from the seed;
 * without a count or with `all`, what a kill would leave at every call. ACTS is a pattern for the names of the acts.
 */
const [, , count, seedText = '1', acts = '.'] = process.argv;
const killsOfEach = count === undefined || count === 'all' ? undefined : Number(count);
const seed = Number(seedText);
if (killsOfEach !== undefined && (!Number.isInteger(killsOfEach) || killsOfEach < 1))
  throw new RangeError(`expected a number of kills or all, was ${count}`);
if (!Number.isInteger(seed)) throw new RangeError(`expected a whole number as seed, was ${seedText}`);
const startedAt = performance.now();
const report = (line: string) => void process.stdout.write(`${line}\n`);
const results = await sweepInterruptions({ killsOfEach, seed, acts: new RegExp(acts), among: /./, report });
report(`seed ${seed}`);
report('act             calls  kills  lost');
for (const { act, calls, kills } of results)
  report(`${act.padEnd(14)} ${String(calls).padStart(6)} ${String(kills).padStart(6)}     0`);
const total = results.reduce((sum, { kills }) => sum + kills, 0);
report(`${total} kills, 0 lost, in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
