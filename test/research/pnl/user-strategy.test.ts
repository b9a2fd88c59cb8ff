import assert from 'node:assert/strict';
import { createTrading } from '../../../src/research/pnl/trading.ts';
import { loadStrategy, type UserStrategy, userStrategy } from '../../../src/research/pnl/user-strategy.ts';
import { listed, quoted, type Shown, ticked } from './records.ts';

const BOOK = { bid: 0.4, ask: 0.5, bidSize: 100, askSize: 20 };
const RECORDS: readonly Shown[] = [
  listed(0, 1),
  quoted(0, 1, 0, BOOK),
  ticked(1_000, 100),
  quoted(2_000, 1, 0, { ...BOOK, ask: 0.47 }),
  listed(60_000, 1, { won: 0 }),
  ticked(61_000, 100),
];

function traded(decide: UserStrategy, records = RECORDS) {
  const terms = { bankrollUsd: 1_000, latencyMs: 500, feeOf: () => 0, maxBookAgeMs: 120_000 };
  const run = createTrading([userStrategy('mine.js', decide)], terms);
  for (const { time, output } of records) run.show(time, output);
  const [result] = run.finish();
  assert.ok(result);
  return result;
}

function fails(decide: UserStrategy, code: string, message: RegExp): void {
  assert.throws(() => traded(decide), { code, message });
}

/** Everything that can be come by from a value, its prototypes and hidden parts included. */
function reachable(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (found.has(value) || value === Object.prototype || value === Array.prototype) return found;
  found.add(value);
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return found;
  reachable(Object.getPrototypeOf(value), found);
  for (const key of Reflect.ownKeys(value)) reachable(Reflect.get(value, key), found);
  return found;
}

interface Seen {
  readonly stream: string;
  readonly at: number;
  readonly record: { readonly ask?: number; readonly buckets?: readonly { readonly won: boolean | null }[] };
}

describe('a strategy of somebody else', () => {
  it('gets one record after the other and gives orders, with a memory of its own', () => {
    const { fills } = traded((record, portfolio, memory) => {
      const { stream } = record as Seen;
      const count = Number(memory ?? 0) + (stream === 'prices' ? 1 : 0);
      const orders =
        count === 2 && stream === 'prices'
          ? [{ token: 'y1.0', side: 'BUY', usd: portfolio.cashUsd / 100 }]
          : [];
      return { orders, memory: count };
    });
    assert.deepEqual(
      fills.map(({ decidedAt, at, price }) => [decidedAt, at, price]),
      [[2_000, 2_500, 0.47]],
    );
  });

  it('cannot change a record, its portfolio or its memory', () => {
    const readOnly = /mine\.js failed at the record of seq 1: Cannot (assign to read only|add) property/;
    fails((record) => Object.assign(record as object, { at: 0 }) && [], 'STRATEGY_FAILED', readOnly);
    fails(
      (record) => {
        const { record: inner } = record as { record: { buckets?: { won: boolean }[] } };
        for (const bucket of inner.buckets ?? []) bucket.won = true;
      },
      'STRATEGY_FAILED',
      readOnly,
    );
    fails((_, portfolio) => Object.assign(portfolio, { cashUsd: 1e9 }) && [], 'STRATEGY_FAILED', readOnly);
    fails(
      (_, __, memory) => {
        if (memory) (memory as { list: number[] }).list.push(1);
        return { memory: { list: [] } };
      },
      'STRATEGY_FAILED',
      readOnly,
    );
    fails(() => ({ memory: new Map() }), 'STRATEGY_FAILED', /memory has to be plain data/);
  });

  it('learns nothing later from what it kept', () => {
    const kept: { readonly record: unknown; readonly text: string }[] = [];
    traded((record, portfolio) => {
      for (const each of kept) assert.equal(JSON.stringify(each.record), each.text);
      const both = { record, portfolio };
      kept.push({ record: both, text: JSON.stringify(both) });
    });
    // Each record is shown twice.
    assert.equal(kept.length, 2 * RECORDS.length);
  });

  it('finds nothing of the future in what it is given', () => {
    let calls = 0;
    traded((record, portfolio) => {
      calls += 1;
      const { at } = record as Seen;
      const found = reachable([record, portfolio]);
      assert.ok(
        [...found].every((each) => typeof each !== 'function'),
        'a way to ask for more',
      );
      if (at < 60_000) assert.ok(!found.has(true) || !JSON.stringify(record).includes('"won":true'));
      if (at < 2_000) assert.ok(!found.has(0.47));
      assert.equal(portfolio.time, at);
    });
    assert.equal(calls, 2 * RECORDS.length);
  });

  it('is caught when it peeks: what it knows from elsewhere changes its answers to the same record', () => {
    let calls = 0;
    // The outcome, as somebody could carry it over from an earlier run.
    const fromElsewhere = () => calls++ % 2 === 0;
    fails(
      () => (fromElsewhere() ? [{ token: 'y1.0', side: 'BUY', usd: 10 }] : []),
      'STRATEGY_IMPURE',
      /mine\.js gave two answers to the record of seq 1/,
    );
  });

  it('is not looked for in vain without a word', async () => {
    await assert.rejects(loadStrategy('none.js'), {
      code: 'STRATEGY_FILE',
      message: 'cannot load the strategy none.js: there is no such file',
    });
  });

  it('is refused an order that is none', () => {
    const gives = (order: unknown, message: RegExp) => fails(() => [order], 'STRATEGY_ORDER', message);
    gives(null, /an order is an object/);
    gives({ token: 'y1.0', side: 'HOLD' }, /side is BUY or SELL/);
    gives({ token: 'y1.0', side: 'BUY' }, /a purchase needs usd or prob/);
    gives({ token: 'y1.0', side: 'BUY', usd: Number.NaN }, /usd is an amount/);
    gives({ token: 'y1.0', side: 'BUY', prob: 2 }, /prob is a probability/);
    gives({ token: 'y1.0', side: 'BUY', usd: 1, size: 3 }, /an order has no size/);
    fails(() => ({ orders: 'none' }), 'STRATEGY_FAILED', /neither a list of orders/);
  });
});
