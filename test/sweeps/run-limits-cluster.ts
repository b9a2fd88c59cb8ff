import { sweepLimitsCluster } from './limits-cluster.ts';

/** `node build/test/sweeps/run-limits-cluster.js 100000 [seed] [seconds]`: arrivals at edges while engines are replaced. */
const arrivals = Number(process.argv[2] ?? '100000');
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
const seconds = Number(process.argv[4] ?? '900');
process.stdout.write(`seed ${seed}\n`);
process.stdout.write(`${JSON.stringify(await sweepLimitsCluster({ arrivals, seed, seconds }))}\n`);
process.exit(0);
