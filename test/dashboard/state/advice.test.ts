import assert from 'node:assert/strict';
import { adviceOf, amountOf } from '../../../src/dashboard/state/advice.ts';
import { leftBucket, nearEdge } from '../crossings.ts';

type Signal = Parameters<typeof amountOf>[0];
type Order = Parameters<typeof amountOf>[1][number];

function signal(fields: Partial<Signal>): Signal {
  const base = { bucket: '0-19', token_id: '1', best_bid: null, buy_no: null, suggested_bet: 0 };
  return { ...base, model_prob: 0.1, reason_codes: [], ...fields };
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
  model_prob: 0.9,
  edge_net: 0.092,
  kelly_full: 0.48,
  limit_price: 0.8,
  available_usd: 100,
  kelly_fraction: 0.012,
  suggested_bet: 12,
  cut: [],
};

const passed = { buy_no: no, reason_codes: ['PASSED_BY_COUNT'] };

describe('what to do', () => {
  it('begins with buckets that cannot win while somebody bids for them, the highest bid first', () => {
    const advice = adviceOf({
      signals: [
        signal({ bucket: '40-59', suggested_bet: 5 }),
        signal({ bucket: '0-19', best_bid: 0.02, ...passed }),
        signal({ bucket: '20-39', best_bid: 0.2, ...passed }),
      ],
      BUY: [order(['40-59'], [5])],
      SELL: [{ bucket: '20-39' }, { bucket: '60-79' }],
      crossings: [],
    });
    const told = advice.map((each) =>
      each.type === 'passed'
        ? each.signal.bucket
        : each.type === 'sell'
          ? each.buckets.join()
          : each.type === 'buy'
            ? each.order.strategy
            : each.type,
    );
    assert.deepEqual(told, ['20-39', '0-19', 'SINGLE_BUCKET', '60-79']);
  });

  it('buys No of what is not held, unless an order replaces all bets', () => {
    const sell = signal({ bucket: '60-79', buy_no: no });
    const small = signal({ bucket: '80-99', buy_no: { ...no, suggested_bet: 0 } });
    const event = { signals: [sell, small], BUY: [], SELL: [{ bucket: '60-79' }], crossings: [] };
    assert.deepEqual(adviceOf(event), [
      { type: 'sell', buckets: ['60-79'] },
      { type: 'no', signals: [sell] },
    ]);
    const ordered = adviceOf({ ...event, BUY: [order(['40-59'], [5])] });
    assert.deepEqual(
      ordered.map(({ type }) => type),
      ['buy', 'sell'],
    );
    assert.equal(amountOf(sell, []), 12);
    assert.equal(amountOf(sell, [order(['40-59'], [5])]), null);
    assert.equal(amountOf({ ...sell, ...passed }, [order(['40-59'], [5])]), 12);
  });

  it('gives one order, and others instead of it', () => {
    const orders = [order(['40-59'], [5]), order(['40-59', '60-79'], [4, 3])];
    const [buy] = adviceOf({ signals: [], BUY: orders, SELL: [], crossings: [] });
    assert.ok(buy?.type === 'buy');
    assert.equal(buy.order, orders[0]);
    assert.deepEqual(buy.instead, [orders[1]]);
  });

  it('tells of crossings once each: left buckets as something to do, others after all that', () => {
    const both = leftBucket({ bucket: '0-19', token_id: 'both' });
    const alone = leftBucket({ bucket: '20-39', token_id: 'alone' });
    const near = nearEdge({});
    const bid = signal({ bucket: '0-19', token_id: 'both', ...passed });
    const advice = adviceOf({
      signals: [bid],
      BUY: [],
      SELL: [{ bucket: '0-19' }, { bucket: '20-39' }, { bucket: '60-79' }],
      crossings: [both, alone, near],
    });
    assert.deepEqual(advice, [
      { type: 'passed', signal: bid, crossing: both },
      { type: 'left', crossing: alone },
      { type: 'sell', buckets: ['60-79'] },
      { type: 'watch', crossing: near },
    ]);
  });

  it('gives none of nothing', () => {
    assert.deepEqual(adviceOf({ signals: [], BUY: [order(['0-19'], [0])], SELL: [], crossings: [] }), []);
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
