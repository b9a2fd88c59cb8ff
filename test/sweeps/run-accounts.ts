import { openTestBrowser } from '../dashboard/test-browser.ts';
import { sweepAccounts } from './accounts.ts';

/** `node build/test/sweeps/run-accounts.js 20 1`: everything there is of so many accounts, from a seed. */
const [accounts, seed] = [process.argv[2] ?? '20', process.argv[3] ?? '1'].map(Number);
if (accounts === undefined || seed === undefined || !(accounts > 4) || !Number.isInteger(seed)) {
  throw new RangeError(`expected more than 4 accounts and a seed, was ${process.argv.slice(2).join(' ')}`);
}
const browser = await openTestBrowser();
try {
  const startedMs = performance.now();
  const figures = await sweepAccounts({
    accounts,
    seed,
    historyDays: 15,
    browser,
    report: (line) =>
      process.stdout.write(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s: ${line}\n`),
  });
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
} finally {
  await browser.close();
}
