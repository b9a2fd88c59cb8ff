import assert from 'node:assert/strict';
import { adviceOf, amountOf } from '../../../src/dashboard/state/advice.ts';
import type { Signals } from '../../../src/dashboard/state/records.ts';

type Signal = Signals['signals'][number];
type Order = Signals['BUY'][number];

const signal = (fields: Partial<Signal>) =>
  ({ bucket: '0-19', token_id: '1', best_bid: null, buy_no: null, suggested_bet: 0, ...fields }) as Signal;
const order = (strategy: Order['strategy'], buckets: string[], stakes: number[]) =>
  ({
    strategy,
    buckets,
    stakes_usd: stakes,
    stake_usd: stakes.reduce((sum, each) => sum + each, 0),
  }) as unknown as Order;
const no = { suggested_bet: 12 } as Signal['buy_no'];

describe('what to do', () => {
  it('begins with buckets that cannot win while somebody bids for them, the highest bid first', () => {
    const advice = adviceOf({
      signals: [
        signal({ bucket: '40-59', suggested_bet: 5 }),
        signal({ bucket: '0-19', best_bid: 0.02, buy_no: no }),
        signal({ bucket: '20-39', best_bid: 0.2, buy_no: no }),
      ],
      BUY: [order('SINGLE_BUCKET', ['40-59'], [5])],
      SELL: [{ bucket: '20-39' }, { bucket: '60-79' }] as unknown as Signals['SELL'],
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
    const orders = [
      order('SINGLE_BUCKET', ['40-59'], [5]),
      order('SINGLE_BUCKET', ['40-59', '60-79'], [4, 3]),
    ];
    const [buy] = adviceOf({ signals: [], BUY: orders, SELL: [] });
    assert.ok(buy?.type === 'buy');
    assert.equal(buy.order, orders[0]);
    assert.deepEqual(buy.instead, [orders[1]]);
  });

  it('gives none of nothing', () => {
    assert.deepEqual(adviceOf({ signals: [], BUY: [order('SINGLE_BUCKET', ['0-19'], [0])], SELL: [] }), []);
  });
});

describe('the amount for a bucket', () => {
  it('is that of the first order, which replaces all bets', () => {
    const orders = [order('SINGLE_BUCKET', ['40-59', '60-79'], [4, 3])];
    assert.equal(amountOf(signal({ bucket: '60-79', suggested_bet: 9 }), orders), 3);
    assert.equal(amountOf(signal({ bucket: '80-99', suggested_bet: 9 }), orders), null);
  });

  it('is the bet without an order, and never zero', () => {
    assert.equal(amountOf(signal({ suggested_bet: 9 }), []), 9);
    assert.equal(amountOf(signal({ suggested_bet: 0 }), []), null);
    assert.equal(amountOf(signal({ suggested_bet: 9, buy_no: no }), []), 12);
  });
});
