import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FOLLOW_SIGNALS } from '../../../src/research/pnl/built-in-strategies.ts';
import type { Strategy } from '../../../src/research/pnl/strategy.ts';
import type { Terms } from '../../../src/research/pnl/trader.ts';
import { createTrading } from '../../../src/research/pnl/trading.ts';
import { tradingSummary } from '../../../src/research/pnl/trading-summary.ts';
import { takerFee } from '../../../streams/internal.ts';
import { evaluateBucket } from '../../../streams/model/bucket-signal.ts';
import { bucketSignal, signalsOutput } from '../../support/outputs.ts';
import { bruteForce, type PlannedOrder } from './brute-force.ts';
import { listed, type QuotedSides, quoted, type Shown } from './records.ts';

const TERMS: Terms = {
  bankrollUsd: 1_000,
  latencyMs: 500,
  feeOf: (price, _token, stated) => takerFee(price, stated),
  maxBookAgeMs: 120_000,
};

const FEES = [undefined, { rate: 0, exponent: 1 }, { rate: 0.03, exponent: 1 }];

/** The signals of an event from the probabilities of its buckets and their books. */
function signalled(
  time: number,
  eventId: number,
  probs: readonly number[],
  books: readonly QuotedSides[],
): Shown {
  const buckets = probs.map((prob, place) => {
    const sides = books[place] ?? { bid: null, ask: null, bidSize: null, askSize: null };
    const price = sides.bid === null || sides.ask === null ? null : (sides.bid + sides.ask) / 2;
    return bucketSignal({
      ...{ token: `y${eventId}.${place}`, noToken: `n${eventId}.${place}`, lo: 10 * place },
      ...evaluateBucket(prob, { ...sides, price }, 'open', FEES[place]),
    });
  });
  const record = { eventId, account: 'a', buckets, order: null, eventShare: 0.5 };
  return { time, output: signalsOutput(record, { at: time }) };
}

function followed(records: readonly Shown[]) {
  const planned: PlannedOrder[] = [];
  let place = -1;
  const recording: Strategy = {
    name: 'signals',
    decide(output, view) {
      place += 1;
      const orders = FOLLOW_SIGNALS.decide(output, view);
      planned.push(...orders.map((order) => ({ after: place, order })));
      return orders;
    },
  };
  const run = createTrading([recording], TERMS);
  for (const { time, output } of records) run.show(time, output);
  const [result] = run.finish();
  assert.ok(result);
  return { ...result, planned };
}

const DEAR: QuotedSides = { bid: 0.4, ask: 0.42, bidSize: 30, askSize: 30 };

describe('following the signals', () => {
  it('buys No where the signals say SELL and no Yes is held, at 1 minus the bid, and is paid 1 minus the outcome', () => {
    const opening = [listed(0, 1), quoted(0, 1, 0, DEAR), signalled(1_000, 1, [0.1], [DEAR])];
    const pnl = (won: number) =>
      followed([...opening, listed(60_000, 1, { won })]).bets[0]?.pnlUsd.toFixed(6);
    const { fills } = followed([...opening, listed(60_000, 1, { won: 1 })]);
    assert.deepEqual(
      fills.map(({ token, isYes, side, price }) => [token, isYes, side, price]),
      [['n1.0', false, 'BUY', 0.6]],
    );
    const shares = fills[0]?.shares ?? 0;
    const cost = shares * (0.6 + takerFee(0.6));
    assert.ok(shares > 0 && shares <= 30);
    assert.deepEqual([pnl(1), pnl(0)], [(shares - cost).toFixed(6), (-cost).toFixed(6)]);
  });

  it('sells the side that it holds before it buys the other', () => {
    const cheap = { ...DEAR, bid: 0.2, ask: 0.22 };
    const { fills } = followed([
      listed(0, 1),
      quoted(0, 1, 0, cheap),
      signalled(1_000, 1, [0.5], [cheap]),
      quoted(10_000, 1, 0, DEAR),
      signalled(11_000, 1, [0.1], [DEAR]),
      quoted(20_000, 1, 0, DEAR),
      signalled(21_000, 1, [0.1], [DEAR]),
      quoted(30_000, 1, 0, cheap),
      signalled(31_000, 1, [0.5], [cheap]),
      listed(60_000, 1, { won: 1 }),
    ]);
    assert.deepEqual(
      fills.map(({ token, side }) => `${side} ${token}`),
      ['BUY y1.0', 'SELL y1.0', 'BUY n1.0', 'SELL n1.0'],
    );
  });

  it('gives what each side made', () => {
    const cheap = { ...DEAR, bid: 0.2, ask: 0.22 };
    const books = [DEAR, cheap];
    const result = followed([
      listed(0, 1),
      ...books.map((book, place) => quoted(0, 1, place, book)),
      signalled(1_000, 1, [0.1, 0.5], books),
      listed(60_000, 1, { won: 1 }),
    ]);
    const { by_side, settled_pnl_usd } = tradingSummary(result, 1_000);
    assert.deepEqual(
      by_side.map(({ side, bets, hit_rate }) => [side, bets, hit_rate]),
      [
        ['Yes', 1, 1],
        ['No', 1, 1],
      ],
    );
    const sum = by_side.reduce((total, { pnl_usd }) => total + pnl_usd, 0);
    assert.equal(sum.toFixed(9), settled_pnl_usd.toFixed(9));
  });

  it('agrees with the second implementation on every fill of either side, on random books and probabilities', () => {
    const tick = fc.integer({ min: 1, max: 18 }).map((step) => step / 20);
    const book = fc.record(
      { bid: tick, spread: fc.constantFrom(0.01, 0.02, 0.05), bidSize: fc.nat(300), askSize: fc.nat(300) },
      { noNullPrototype: true },
    );
    const step = fc.record({
      wait: fc.integer({ min: 400, max: 70_000 }),
      event: fc.integer({ min: 0, max: 2 }),
      books: fc.tuple(book, book),
      probs: fc.tuple(fc.nat(100), fc.nat(100)),
    });
    const bought = { Yes: 0, No: 0 };
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }),
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 3, maxLength: 3 }),
        (steps, winners) => {
          let time = 0;
          const shown = steps.flatMap(({ wait, event, books, probs }) => {
            time += wait;
            const sides = books.map(({ bid, spread, ...sizes }) => ({ ...sizes, bid, ask: bid + spread }));
            return [
              ...sides.map((each, place) => quoted(time, event, place, each)),
              signalled(
                time,
                event,
                probs.map((share) => share / 100),
                sides,
              ),
            ];
          });
          const records = [
            ...[0, 1, 2].map((event) => listed(0, event)),
            ...shown,
            ...winners.map((won, event) => listed(time + 10_000, event, { won })),
          ];
          const { fills, curve, planned } = followed(records);
          const { trades, endUsd } = bruteForce(records, planned, TERMS);
          for (const { isYes, side } of fills) if (side === 'BUY') bought[isYes ? 'Yes' : 'No'] += 1;
          const plain = (
            list: readonly { token: string; side: string; at: number; shares: number; price: number }[],
          ) =>
            list.map(({ token, side, at, shares, price }) => [
              token,
              side,
              at,
              shares.toFixed(6),
              price.toFixed(6),
            ]);
          assert.deepEqual(plain(fills), plain(trades));
          assert.ok(Math.abs((curve.at(-1)?.usd ?? Number.NaN) - endUsd) < 1e-6);
        },
      ),
      { numRuns: 150 },
    );
    assert.ok(bought.Yes > 100 && bought.No > 100, JSON.stringify(bought));
  });
});
