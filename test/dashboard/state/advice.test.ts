import assert from 'node:assert/strict';
import { adviceOf, amountOf } from '../../../src/dashboard/state/advice.ts';

type Signal = Parameters<typeof amountOf>[0];
type Order = Parameters<typeof amountOf>[1][number];

function signal(fields: Partial<Signal>): Signal {
  const base = { bucket: '0-19', token_id: '1', best_bid: null, buy_no: null, suggested_bet: 0 };
  return { ...base, model_prob: 0.1, ...fields };
}

function order(buckets: readonly string[], stakes: readonly number[]): Order {
  return {
    strategy: buckets.length === 1 ? 'SINGLE_BUCKET' : 'TWO_BUCKET',
    buckets,
    stakes_usd: stakes,
    stake_usd: stakes.reduce((sum, each) => sum + each, 0),
    measured_win_rate: null,
    sample_size: 0,
  };
}

const no = {
  token_id: '2',
  limit_price: 0.8,
  available_usd: 100,
  kelly_fraction: 0.012,
  suggested_bet: 12,
  cut: [],
};

describe('what to do', () => {
  it('begins with buckets that cannot win while somebody bids for them, the highest bid first', () => {
    const advice = adviceOf({
      signals: [
        signal({ bucket: '40-59', suggested_bet: 5 }),
        signal({ bucket: '0-19', best_bid: 0.02, buy_no: no }),
        signal({ bucket: '20-39', best_bid: 0.2, buy_no: no }),
      ],
      BUY: [order(['40-59'], [5])],
      SELL: [{ bucket: '20-39' }, { bucket: '60-79' }],
    });
    const told = advice.map((each) =>
      each.type === 'passed'
        ? each.signal.bucket
        : each.type === 'sell'
          ? each.buckets.join()
          : each.order.strategy,
    );
    assert.deepEqual(told, ['20-39', '0-19', 'SINGLE_BUCKET', '60-79']);
  });

  it('gives one order, and others instead of it', () => {
    const orders = [order(['40-59'], [5]), order(['40-59', '60-79'], [4, 3])];
    const [buy] = adviceOf({ signals: [], BUY: orders, SELL: [] });
    assert.ok(buy?.type === 'buy');
    assert.equal(buy.order, orders[0]);
    assert.deepEqual(buy.instead, [orders[1]]);
  });

  it('gives none of nothing', () => {
    assert.deepEqual(adviceOf({ signals: [], BUY: [order(['0-19'], [0])], SELL: [] }), []);
  });
});

describe('the amount for a bucket', () => {
  it('is that of the first order, which replaces all bets', () => {
    const orders = [order(['40-59', '60-79'], [4, 3])];
    assert.equal(amountOf(signal({ bucket: '60-79', suggested_bet: 9 }), orders), 3);
    assert.equal(amountOf(signal({ bucket: '80-99', suggested_bet: 9 }), orders), null);
  });

  it('is the bet without an order, and never zero', () => {
    assert.equal(amountOf(signal({ suggested_bet: 9 }), []), 9);
    assert.equal(amountOf(signal({ suggested_bet: 0 }), []), null);
    assert.equal(amountOf(signal({ suggested_bet: 9, buy_no: no }), []), 12);
  });
});
