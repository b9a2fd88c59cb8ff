import { sweepSettlements } from './settlements.ts';

/** `node build/test/sweeps/run-settlements.js 20 7`: as many rounds as asked, from a seed on. */
const [rounds, seed] = [process.argv[2] ?? '20', process.argv[3] ?? '1'].map(Number);
if (!Number.isInteger(rounds) || !Number.isInteger(seed) || rounds === undefined || seed === undefined) {
  throw new RangeError(`expected a number of rounds and a seed, was ${process.argv.slice(2).join(' ')}`);
}
const figures = await sweepSettlements({
  rounds,
  seed,
  historyDays: 35,
  seconds: 45,
  report: (line) => process.stdout.write(`${line}\n`),
});
process.stdout.write(`${JSON.stringify(figures, null, 2)}\nnothing wrong, nothing unexplained\n`);
