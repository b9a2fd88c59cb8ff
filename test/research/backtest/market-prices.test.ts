import assert from 'node:assert/strict';
import { marketAt, scoreMarket } from '../../../src/research/backtest/market-prices.ts';
import type { BucketPrice } from '../../../src/research/backtest/price-files.ts';

const MINUTE_MS = 60_000;
const AT = Date.UTC(2026, 0, 31);
/** 10 counted, then 0, 10 or 20 more. */
const OUTLOOK = {
  count: 10,
  paths: Float64Array.from({ length: 21 }, (_, more) => (more < 10 ? 0.5 : more < 20 ? 0.8 : 1)),
  floorMedian: null,
};

function priced(lo: number, hi: number | null, price: number | null, minutes = 0): BucketPrice {
  return { at: AT + minutes * MINUTE_MS, lo, hi, price };
}

const asked = (...prices: BucketPrice[]) => ({ prices, isOfChanges: false });
const changes = (...prices: BucketPrice[]) => ({ prices, isOfChanges: true });
const probs = (history: ReturnType<typeof asked>, minutes: number) =>
  marketAt(history, AT + minutes * MINUTE_MS)?.map(({ prob }) => prob);

describe('backtest market', () => {
  it('scores the newest prices before an origin, normalised, and ours on the same buckets', () => {
    const own = asked(priced(0, 19, 0.5), priced(20, null, 0.75), priced(20, null, 0.1, 3));
    const score = scoreMarket(own, AT + 2 * MINUTE_MS, OUTLOOK, 20);
    assert.ok(score !== null);
    assert.ok(Math.abs(score.logScore + Math.log(0.6)) < 1e-12);
    assert.ok(Math.abs(score.logScoreModel + Math.log(0.5)) < 1e-12);
    // Of both: the root of 0.5 * 0.6 against that of 0.5 * 0.4.
    const pooled = Math.sqrt(0.6) / (Math.sqrt(0.6) + Math.sqrt(0.4));
    assert.ok(Math.abs(score.logScorePool + Math.log(pooled)) < 1e-12);
    assert.ok(Math.abs(score.brierPool - 2 * (1 - pooled) ** 2) < 1e-12);
    assert.ok(score.crpsPool > 0);
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

  it('uses no price that is older than two minutes, or of later', () => {
    const own = asked(priced(0, 19, 0.5), priced(20, null, 0.5));
    assert.equal(probs(own, -1), undefined);
    assert.deepEqual(probs(own, 2), [0.5, 0.5]);
    assert.equal(marketAt(own, AT + 2 * MINUTE_MS + 1), null);
    assert.equal(scoreMarket(own, AT + 3 * MINUTE_MS, OUTLOOK, 20), null);
  });

  it('has no market while a bucket lacks a price of the instant, which would raise the others', () => {
    const own = asked(priced(0, 19, 0.5), priced(20, null, 0.5), priced(20, null, 0.9, 3));
    assert.equal(probs(own, 3), undefined);
    assert.equal(probs(asked(priced(0, 19, 0.5), priced(20, null, null)), 0), undefined);
    assert.equal(probs(asked(priced(0, 19, 0), priced(20, null, 0)), 0), undefined);
  });

  it('takes a price that did not change as long as the window has news', () => {
    const own = changes(priced(0, 19, 0.5), priced(20, null, 0.5), priced(20, null, 0.75, 30));
    assert.deepEqual(probs(own, 31), [0.4, 0.6]);
    assert.equal(probs(own, 33), undefined);
    assert.equal(probs(own, 29), undefined);
  });

  it('has no score for an outcome that no bucket holds', () => {
    assert.equal(scoreMarket(asked(priced(0, 19, 0.5)), AT, OUTLOOK, 20), null);
  });
});
