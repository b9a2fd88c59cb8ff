import { sweepArrivals } from './arrivals.ts';

/** `node build/test/sweeps/run-arrivals.js 1000000 [seed]`: as many arrivals as asked, in virtual time. */
const arrivals = Number(process.argv[2] ?? '1000000');
if (!Number.isInteger(arrivals) || arrivals < 1) {
  throw new RangeError(`expected a number of arrivals, was ${process.argv[2]}`);
}
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
process.stdout.write(`seed ${seed}\n`);
const { admitted, kills, mostForgotten } = await sweepArrivals({ arrivals, seed });
process.stdout.write(
  `${arrivals} arrivals, ${admitted} let in, never more than the limit in any 3,600 s; ` +
    `${kills} kills, at most ${mostForgotten} calls of one caller forgotten, all of the last second\n`,
);
