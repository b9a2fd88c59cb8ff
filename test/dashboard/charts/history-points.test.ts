import assert from 'node:assert/strict';
import { historyColumns, stepFor } from '../../../src/dashboard/charts/history-points.ts';

const HOUR_MS = 3_600_000;
const point = (minute: number, market_price: number | null, model_prob?: number) => ({
  ts: minute * 60_000,
  markets: [
    { market_price, best_bid: 0.1, best_ask: null, ...(model_prob === undefined ? {} : { model_prob }) },
  ],
});

describe('historyColumns', () => {
  it('has market, model, bid and ask in percent, and null for what is unknown', () => {
    assert.deepEqual(historyColumns([point(1, 0.25, 0.5), point(2, null)], 60), [
      [60, 120],
      [25, null],
      [50, null],
      [10, 10],
      [null, null],
    ]);
  });

  it('breaks the lines where there was nothing for longer than three steps', () => {
    const [seconds, market] = historyColumns([point(0, 0.5), point(3, 0.5), point(7, 0.5)], 60);
    assert.deepEqual(seconds, [0, 180, 240, 420]);
    assert.deepEqual(market, [50, 50, null, 50]);
  });

  it('is empty without any', () => {
    assert.deepEqual(historyColumns([], 60), [[], [], [], [], []]);
  });
});

describe('stepFor', () => {
  it('keeps the number of points bounded', () => {
    assert.equal(stepFor(HOUR_MS), 60);
    assert.equal(stepFor(7 * 24 * HOUR_MS), 900);
    for (const hours of [1, 10, 48, 168, 720, 1_000]) {
      assert.ok((hours * 3_600) / stepFor(hours * HOUR_MS) <= 700, String(hours));
    }
  });
});
