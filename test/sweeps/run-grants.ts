import { sweepGrants } from './grants.ts';

/** `node build/test/sweeps/run-grants.js 1000000 [seed]`: as many arrivals over four edges as asked, in virtual time. */
const arrivals = Number(process.argv[2] ?? '1000000');
if (!Number.isInteger(arrivals) || arrivals < 1) {
  throw new RangeError(`expected a number of arrivals, was ${process.argv[2]}`);
}
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
process.stdout.write(`seed ${seed}\n`);
const { calm, rough } = sweepGrants({ arrivals, seed });
for (const [name, figures] of Object.entries({ calm, rough })) {
  process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
  for (const [limit, admitted] of Object.entries(figures.admitted)) {
    const part = (100 * admitted) / (figures.oneMachine[Number(limit)] ?? 0);
    process.stdout.write(`${name}, limit ${limit}: ${part.toFixed(2)} % of what one machine lets in\n`);
  }
}
process.stdout.write('never more than the limit in any 3,600 s\n');
