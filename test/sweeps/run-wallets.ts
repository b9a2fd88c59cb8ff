import { MARKET_MS, sweepHangingMarket, sweepNewWallets } from './wallets.ts';

/** `node build/test/sweeps/run-wallets.js 200`: so many wallets at once, then one after the other while the market hangs. */
const wallets = Number(process.argv[2] ?? '200');
if (!Number.isInteger(wallets) || wallets < 1) {
  throw new RangeError(`expected a number of wallets, was ${process.argv[2]}`);
}
/** A second for an answer of a market that takes 300 ms, and as many times its own time where that takes longer. */
const MOST_TIMES_THE_MARKET = 1_000 / MARKET_MS;
const report = (line: string) => process.stdout.write(`${line}\n`);

const rounds = await sweepNewWallets(wallets);
for (const { p99Ms, marketP99Ms } of rounds) {
  report(
    `${wallets} new wallets: p99 ${p99Ms.toFixed(0)} ms, of the market itself ${marketP99Ms.toFixed(0)} ms`,
  );
}
const { p99Ms, othersP99Ms } = await sweepHangingMarket(wallets);
report(
  `refused while the market hangs: p99 ${p99Ms.toFixed(1)} ms, of other calls ${othersP99Ms.toFixed(1)} ms`,
);
const ratios = rounds.map((round) => round.p99Ms / Math.max(MARKET_MS, round.marketP99Ms));
const isQuick = Math.min(...ratios) < MOST_TIMES_THE_MARKET && p99Ms < Math.max(50, 3 * othersP99Ms);
if (!isQuick) report('too slow');
process.exitCode = isQuick ? 0 : 1;
