import assert from 'node:assert/strict';
import { readPrices, scoreMarket } from '../../../src/research/backtest/market-prices.ts';
import { useFolder } from './folder.ts';

const HOUR_MS = 3_600_000;
const WINDOW = { startAt: 0, endAt: 48 * HOUR_MS, total: null };
/** 10 counted, then 0, 10 or 20 more. */
const OUTLOOK = {
  count: 10,
  paths: Float64Array.from({ length: 21 }, (_, more) => (more < 10 ? 0.5 : more < 20 ? 0.8 : 1)),
  floorMedian: null,
};

describe('backtest market', () => {
  const folder = useFolder();
  const header = 'ts,bucket_lo,bucket_hi,price,start_ts,end_ts';

  async function prices(...lines: string[]) {
    const [first] = await readPrices(await folder.write('prices.csv', [header, ...lines, ''].join('\n')), [
      WINDOW,
    ]);
    assert.ok(first !== undefined);
    return first;
  }

  it('scores the newest prices before an origin, normalised, and ours on the same buckets', async () => {
    const own = await prices(
      `${HOUR_MS},0,19,0.5,0,${WINDOW.endAt}`,
      `${HOUR_MS},20,,0.75,0,${WINDOW.endAt}`,
      `${3 * HOUR_MS},20,,0.1,0,${WINDOW.endAt}`,
    );
    const score = scoreMarket(own, 2 * HOUR_MS, OUTLOOK, 20);
    assert.ok(score !== null);
    assert.ok(Math.abs(score.logScore + Math.log(0.6)) < 1e-12);
    assert.ok(Math.abs(score.logScoreModel + Math.log(0.5)) < 1e-12);
    assert.ok(Math.abs(score.brier - 2 * 0.4 ** 2) < 1e-12);
    assert.ok(Math.abs(score.brierModel - 2 * 0.5 ** 2) < 1e-12);
    // 0.4 over 0..19 and 0.6 over 20..39: what is below 20 adds (0.02 k)^2, what is above (0.6 - 0.03 k)^2.
    const below = Array.from({ length: 20 }, (_, k) => (0.02 * (k + 1)) ** 2);
    const above = Array.from({ length: 20 }, (_, k) => (0.6 - 0.03 * (k + 1)) ** 2);
    assert.ok(Math.abs(score.crps - [...below, ...above].reduce((sum, value) => sum + value)) < 1e-9);
    assert.equal(score.isCovered, true);
    // Half of it lies at or below 23, as 0.4 + 4 * 0.03 is more than half.
    assert.ok(Math.abs(score.ape - 3 / 20) < 1e-12);
  });

  it('has no score without a price of the day, or for another window', async () => {
    const own = await prices(`${HOUR_MS},0,,0.5,0,${WINDOW.endAt}`, `${HOUR_MS},0,,0.9,0,7`);
    assert.equal(own.length, 1);
    assert.equal(scoreMarket(own, 0, OUTLOOK, 20), null);
    assert.equal(scoreMarket(own, 26 * HOUR_MS, OUTLOOK, 20), null);
  });

  it('gives prices without a window to the one that is open', async () => {
    assert.equal((await prices(`${HOUR_MS},0,,0.5,,`, `${50 * HOUR_MS},0,,0.5,,`)).length, 1);
  });
});
