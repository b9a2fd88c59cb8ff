import { sweepPaymentsCluster } from './payments-cluster.ts';

/** `node build/test/sweeps/run-payments-cluster.js 1000 [seed]`: copies of one payment over two edges and a fail-over. */
const copies = Number(process.argv[2] ?? '1000');
if (!Number.isInteger(copies) || copies < 2) {
  throw new RangeError(`expected a number of copies, was ${process.argv[2]}`);
}
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
process.stdout.write(`seed ${seed}\n`);
process.stdout.write(`${JSON.stringify(await sweepPaymentsCluster(copies, seed))}\n`);
process.exit(0);
