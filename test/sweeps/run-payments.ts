import { randomInt } from 'node:crypto';
import { sweepOutcomes } from './payment-outcomes.ts';
import { sweepCopies, sweepCrashes, sweepMutations } from './payments.ts';

/**
 * `node build/test/sweeps/run-payments.js 50 7`: crashes at every point so often, as many copies, mutations and purchases
 * in proportion, and the seed of the purchases. Without a seed it takes one, and says which.
 */
const times = Number(process.argv[2] ?? '5');
if (!Number.isInteger(times) || times < 1)
  throw new RangeError(`expected a number of rounds, was ${process.argv[2]}`);
const seed = Number(process.argv[3] ?? randomInt(2 ** 32 - 1));
if (!Number.isInteger(seed) || seed < 0) throw new RangeError(`expected a seed, was ${process.argv[3]}`);
const report = (line: string) => void process.stdout.write(`${line}\n`);
report(`seed ${seed}`);
await sweepOutcomes({ seed, count: 20 * times }, report);
await sweepCopies(20 * times, report);
await sweepMutations(times, report);
await sweepCrashes(times, report);
