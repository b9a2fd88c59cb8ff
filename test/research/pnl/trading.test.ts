import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Order } from '../../../src/research/pnl/order.ts';
import type { Strategy } from '../../../src/research/pnl/strategy.ts';
import type { Terms } from '../../../src/research/pnl/trader.ts';
import { createTrading } from '../../../src/research/pnl/trading.ts';
import { tradingSummary } from '../../../src/research/pnl/trading-summary.ts';
import { type TakerFee, takerFee } from '../../../streams/internal.ts';
import { bruteForce, type PlannedOrder } from './brute-force.ts';
import { listed, type QuotedSides, quoted, type Shown, ticked } from './records.ts';

const TERMS: Terms = {
  bankrollUsd: 1_000,
  latencyMs: 500,
  feeOf: (price) => takerFee(price),
  maxBookAgeMs: 120_000,
};

/** Gives the planned orders after the records they belong to. */
function planStrategy(planned: readonly PlannedOrder[]): Strategy {
  let place = -1;
  return {
    name: 'planned',
    decide() {
      place += 1;
      return planned.filter(({ after }) => after === place).map(({ order }) => order);
    },
  };
}

function traded(records: readonly Shown[], planned: readonly PlannedOrder[], terms: Partial<Terms> = {}) {
  const run = createTrading([planStrategy(planned)], { ...TERMS, ...terms });
  for (const { time, output } of records) run.show(time, output);
  const [result] = run.finish();
  assert.ok(result);
  return result;
}

const BOOK: QuotedSides = { bid: 0.4, ask: 0.5, bidSize: 100, askSize: 20 };
const buy = (order: Partial<Order> = {}): Order => ({ token: 'y1.0', side: 'BUY', usd: 1_000, ...order });

describe('trading', () => {
  it('pays the fee that each market states, and the usual one where it states none', () => {
    const records = [
      listed(0, 1),
      ...[0, 1, 2].map((place) => quoted(0, 1, place, { bid: 0.3, ask: 0.5, bidSize: 50, askSize: 50 })),
      ticked(2_000, 0),
    ];
    const planned = [0, 1, 2].map((place): PlannedOrder => {
      return { after: 3, order: { token: `y1.${place}`, side: 'BUY', usd: 5 } };
    });
    const terms: Terms = { ...TERMS, feeOf: (price, _token, stated) => takerFee(price, stated) };
    const { fills } = traded(records, planned, terms);
    assert.deepEqual(
      fills.map(({ feeUsd, shares }) => Math.round((feeUsd / shares) * 1e6) / 1e6),
      [0.0125, 0, 0.0075],
    );
  });

  it('fills at the ask within the recorded size, with the fee', () => {
    const records = [listed(0, 1), quoted(0, 1, 0, BOOK), quoted(10_000, 1, 1, BOOK)];
    const { fills, curve } = traded(records, [{ after: 1, order: buy({ prob: 0.7 }) }]);
    assert.equal(fills.length, 1);
    assert.deepEqual(
      { ...fills[0], edge: fills[0]?.edge?.toFixed(6) },
      {
        ...{ decidedAt: 0, at: 500, token: 'y1.0', eventId: 1, title: 'bucket 0', isYes: true, side: 'BUY' },
        ...{ shares: 20, price: 0.5, feeUsd: 20 * takerFee(0.5), bookAgeMs: 500, prob: 0.7 },
        edge: (0.7 - 0.5 - takerFee(0.5)).toFixed(6),
      },
    );
    assert.equal(curve.at(-1)?.usd, 1_000 - 20 * (0.5 + takerFee(0.5)) + 20 * 0.4);
  });

  it('meets the book as of the latency: what came by then, and nothing of what came after', () => {
    const at = (latencyMs: number) =>
      traded(
        [
          listed(0, 1),
          quoted(0, 1, 0, BOOK),
          quoted(500, 1, 0, { ...BOOK, ask: 0.6 }),
          quoted(501, 1, 0, { ...BOOK, ask: 0.7 }),
          quoted(9_000, 1, 1, BOOK),
        ],
        [{ after: 1, order: buy() }],
        { latencyMs },
      ).fills[0]?.price;
    assert.deepEqual([at(499), at(500), at(501)], [0.5, 0.6, 0.7]);
  });

  it('does not fill from a book that nobody has confirmed for two minutes', () => {
    const late = (confirmed: readonly Shown[], time: number) =>
      traded(
        [
          listed(0, 1),
          quoted(0, 1, 0, BOOK),
          ...confirmed,
          quoted(time, 1, 1, BOOK),
          quoted(time + 1_000, 1, 1, BOOK),
        ],
        [{ after: 2 + confirmed.length, order: buy() }],
      );
    assert.equal(late([], 119_500).fills[0]?.bookAgeMs, 120_000);
    assert.deepEqual(late([], 119_501).unfilled, { old_book: 1 });
    assert.equal(late([ticked(300_000, 100)], 300_001).fills.length, 1);
    assert.deepEqual(late([ticked(300_000, 100, { 1: 299_000 })], 300_001).unfilled, { old_book: 1 });
    assert.deepEqual(late([ticked(300_000, null)], 300_001).unfilled, { old_book: 1 });
  });

  it('takes an offer once, and again when the book was recorded anew', () => {
    const order = buy({ usd: 8 });
    const records = [
      listed(0, 1),
      quoted(0, 1, 0, BOOK),
      quoted(1_000, 1, 1, BOOK),
      quoted(2_000, 1, 0, BOOK),
      quoted(3_000, 1, 1, BOOK),
    ];
    const { fills, unfilled } = traded(records, [
      { after: 1, order },
      { after: 1, order },
      { after: 1, order },
      { after: 3, order },
    ]);
    const most = 8 / (0.5 + takerFee(0.5));
    assert.deepEqual(
      fills.map(({ shares }) => shares.toFixed(6)),
      [most, 20 - most, most].map((shares) => shares.toFixed(6)),
    );
    assert.deepEqual(unfilled, { taken: 1 });
  });

  it('buys No at 1 minus the bid, from the same book as the Yes', () => {
    const records = [listed(0, 1), quoted(0, 1, 0, { ...BOOK, bidSize: 30 }), listed(60_000, 1, { won: 2 })];
    const { fills, bets } = traded(records, [{ after: 1, order: buy({ token: 'n1.0' }) }]);
    assert.equal(fills[0]?.price, 0.6);
    assert.equal(fills[0]?.shares, 30);
    assert.equal(bets[0]?.pnlUsd.toFixed(6), (30 * (1 - 0.6 - takerFee(0.6))).toFixed(6));
  });

  it('stakes a quarter of Kelly, within the caps of event and account', () => {
    const deep = { bid: 0.4, ask: 0.5, bidSize: 1e6, askSize: 1e6 };
    const free = { feeOf: () => 0 };
    const opening = [0, 1, 2, 3].flatMap((event) => [listed(0, event), quoted(0, event, 0, deep)]);
    const records = [...opening, quoted(10_000, 3, 1, deep)];
    const kelly = traded(records, [{ after: 7, order: { token: 'y1.0', side: 'BUY', prob: 0.55 } }], free);
    assert.equal(((kelly.fills[0]?.shares ?? 0) * 0.5).toFixed(6), '25.000000');
    const capped = traded(
      records,
      [0, 1, 2].map((event) => ({ after: 7, order: buy({ token: `y${event}.0` }) })),
      { ...free, latencyMs: 0 },
    );
    // What was paid above the bid is gone, and the caps are shares of what is left.
    assert.deepEqual(
      capped.fills.map(({ shares, price }) => (shares * price).toFixed(2)),
      ['50.00', '49.00'],
    );
    assert.deepEqual(capped.unfilled, { capped: 1 });
  });

  it('settles at the outcome and gives what a strategy made', () => {
    const records = [listed(0, 1), quoted(0, 1, 0, BOOK), listed(60_000, 1, { won: 0 })];
    const result = traded(records, [{ after: 1, order: buy({ prob: 0.7 }) }]);
    const cost = 20 * (0.5 + takerFee(0.5));
    const summary = tradingSummary(result, 1_000);
    assert.equal(summary.pnl_usd.toFixed(9), (20 - cost).toFixed(9));
    assert.equal(summary.hit_rate, 1);
    assert.equal(summary.turnover_usd, 10);
    assert.equal(summary.max_drawdown.toFixed(9), ((cost - 8) / 1_000).toFixed(9));
    assert.deepEqual(
      summary.by_edge.map(({ from, to, bets }) => ({ from, to, bets })),
      [{ from: 0.1, to: 0.2, bets: 1 }],
    );
    assert.equal(summary.curve.at(0)?.[1], 1_000);
  });

  it('sells what is held at the bid, and never what is not', () => {
    const records = [
      listed(0, 1),
      quoted(0, 1, 0, BOOK),
      quoted(1_000, 1, 1, BOOK),
      quoted(2_000, 1, 1, BOOK),
    ];
    const sale: Order = { token: 'y1.0', side: 'SELL' };
    const { fills, bets, open } = traded(records, [
      { after: 1, order: buy() },
      { after: 2, order: { ...sale, shares: 5 } },
      { after: 2, order: sale },
      { after: 2, order: sale },
    ]);
    assert.deepEqual(
      fills.map(({ side, shares, price }) => [side, shares, price]),
      [
        ['BUY', 20, 0.5],
        ['SELL', 5, 0.4],
        ['SELL', 15, 0.4],
      ],
    );
    assert.equal(bets.length, 1);
    assert.deepEqual(open, []);
  });

  it('refuses records that are out of order', () => {
    const run = createTrading([], TERMS);
    run.show(5, listed(5, 1).output);
    assert.throws(() => run.show(4, listed(4, 1).output), /a record of 4 came after one of 5/);
  });
});

const price = fc.option(
  fc
    .oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 19 }) },
      { weight: 1, arbitrary: fc.constantFrom(0, 20) },
    )
    .map((step) => step / 20),
  { freq: 12 },
);
const size = fc.option(fc.integer({ min: 0, max: 400 }), { freq: 12 });
const kind = fc.oneof(
  { weight: 40, arbitrary: fc.constant('quote' as const) },
  { weight: 10, arbitrary: fc.constant('tick' as const) },
  { weight: 2, arbitrary: fc.constant('list' as const) },
  { weight: 1, arbitrary: fc.constant('settle' as const) },
);
const recordArbitrary = fc.record({
  kind,
  wait: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000 }) },
  ),
  event: fc.integer({ min: 0, max: 2 }),
  place: fc.integer({ min: 0, max: 1 }),
  sides: fc.record({ bid: price, ask: price, bidSize: size, askSize: size }, { noNullPrototype: true }),
  age: fc.option(fc.integer({ min: 0, max: 200_000 })),
  lagging: fc.option(fc.integer({ min: 0, max: 400_000 })),
});
type Drawn = typeof recordArbitrary extends fc.Arbitrary<infer T> ? T : never;

function shownOf(drawn: readonly Drawn[]): Shown[] {
  // Two of three events belong to one account.
  const accountOf = (event: number) => (event === 2 ? 'b' : 'a');
  let time = 0;
  const sides = { bid: 0.3, ask: 0.35, bidSize: 60, askSize: 60 };
  const opening = [0, 1].flatMap((event) => [
    listed(0, event, { account: accountOf(event) }),
    quoted(0, event, 0, sides),
    quoted(0, event, 1, sides),
  ]);
  const rest = drawn.map(({ kind, wait, event, place, sides, age, lagging }) => {
    time += wait;
    if (kind === 'quote') return quoted(time, event, place, sides);
    if (kind === 'tick') return ticked(time, age, lagging === null ? undefined : { [event]: lagging });
    return listed(time, event, { account: accountOf(event), won: kind === 'settle' ? place : null });
  });
  return [...opening, ...rest];
}

const orderArbitrary = fc.record({
  after: fc.nat(70),
  isYes: fc.boolean(),
  event: fc.integer({ min: 0, max: 2 }),
  place: fc.integer({ min: 0, max: 1 }),
  side: fc.constantFrom('BUY' as const, 'BUY' as const, 'SELL' as const),
  amount: fc.integer({ min: 0, max: 80 }),
  isKelly: fc.boolean(),
  prob: fc.integer({ min: 0, max: 100 }).map((share) => share / 100),
  limit: fc.option(
    fc.integer({ min: 0, max: 20 }).map((share) => share / 20),
    { freq: 1 },
  ),
});
type DrawnOrder = typeof orderArbitrary extends fc.Arbitrary<infer T> ? T : never;

function plannedOf(drawn: readonly DrawnOrder[]): PlannedOrder[] {
  return drawn
    .map(({ after, isYes, event, place, side, amount, isKelly, prob, limit }) => {
      const sized = isKelly ? { prob } : { usd: amount };
      const order: Order = {
        ...{ token: `${isYes ? 'y' : 'n'}${event}.${place}`, side },
        ...(side === 'BUY' ? sized : isKelly ? {} : { shares: amount }),
        ...(limit !== null && { limit }),
      };
      return { after, order };
    })
    .sort((a, b) => a.after - b.after);
}

describe('trading and a second implementation', () => {
  it('agree on every fill and on the end, on random books', () => {
    let fillsSeen = 0;
    fc.assert(
      fc.property(
        fc.array(recordArbitrary, { minLength: 20, maxLength: 70, size: 'max' }),
        fc.array(orderArbitrary, { minLength: 10, maxLength: 40, size: 'max' }),
        fc.constantFrom(0, 1, 500, 5_000, 130_000),
        (drawn, orders, latencyMs) => {
          const records = shownOf(drawn);
          const planned = plannedOf(orders).filter(({ after }) => after < records.length);
          const terms = {
            ...TERMS,
            latencyMs,
            feeOf: (at: number, token: string, stated?: TakerFee) =>
              token.startsWith('n') && stated === undefined ? 0.01 : takerFee(at, stated),
          };
          const { fills, curve } = traded(records, planned, terms);
          const { trades, endUsd } = bruteForce(records, planned, terms);
          fillsSeen += fills.length;
          const shown = (
            list: readonly { token: string; side: string; at: number; shares: number; price: number }[],
          ) =>
            list.map(({ token, side, at, shares, price: paid }) => [
              token,
              side,
              at,
              shares.toFixed(6),
              paid.toFixed(6),
            ]);
          assert.deepEqual(shown(fills), shown(trades));
          assert.ok(Math.abs((curve.at(-1)?.usd ?? Number.NaN) - endUsd) < 1e-6);
          for (const { bookAgeMs } of fills) assert.ok(bookAgeMs <= terms.maxBookAgeMs);
        },
      ),
      { numRuns: 200 },
    );
    assert.ok(fillsSeen > 200, `${fillsSeen} fills`);
  });

  it('give the same orders and fills up to any moment, whatever comes after it', () => {
    fc.assert(
      fc.property(
        fc.array(recordArbitrary, { minLength: 2, maxLength: 40 }),
        fc.array(recordArbitrary, { maxLength: 20 }),
        fc.array(orderArbitrary, { maxLength: 30 }),
        (drawn, other, orders) => {
          const shared = shownOf(drawn);
          const until = shared.at(-1)?.time ?? 0;
          const otherwise = shownOf([...drawn, ...other]);
          const planned = plannedOf(orders).filter(({ after }) => after < shared.length);
          const early = (records: readonly Shown[]) =>
            traded(records, planned).fills.filter(({ at }) => at < until);
          assert.deepEqual(early(otherwise), early(shared));
        },
      ),
      { numRuns: 200 },
    );
  });
});
