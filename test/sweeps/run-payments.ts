import { sweepCopies, sweepCrashes, sweepMutations } from './payments.ts';

/** `node build/test/sweeps/run-payments.js 50`: crashes at every point so often, and as many copies and mutations in proportion. */
const times = Number(process.argv[2] ?? '5');
if (!Number.isInteger(times) || times < 1)
  throw new RangeError(`expected a number of rounds, was ${process.argv[2]}`);
const report = (line: string) => void process.stdout.write(`${line}\n`);
await sweepCopies(20 * times, report);
await sweepMutations(times, report);
await sweepCrashes(times, report);
