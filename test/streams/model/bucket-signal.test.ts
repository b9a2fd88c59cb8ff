import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Book, evaluateBucket, probNow, standingOf } from '../../../streams/model/bucket-signal.ts';
import { fullKelly } from '../../../streams/model/sizing.ts';
import { costOfShare, proceedsOfShare } from '../../../streams/model/trading-costs.ts';

const sides = (bid: number | null, ask: number | null, price: number | null): Book => ({
  ...{ bid, ask, price },
  ...{ bidSize: 100, askSize: 200 },
});
const book = (price: number, half = 0.005): Book => sides(price - half, price + half, price);
const open = (prob: number | null, quoted: Book | undefined) => evaluateBucket(prob, quoted, 'open');
const outcome = (prob: number | null, quoted: Book | undefined) => {
  const { action, codes } = open(prob, quoted);
  return [action, ...codes];
};
const share = fc.double({ min: 0, max: 1, noNaN: true });
const size = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }));
const anyBook = fc.record({
  ...{ bid: fc.option(share), ask: fc.option(share), price: fc.option(share) },
  ...{ bidSize: size, askSize: size },
});
const anyStanding = fc.constantFrom('open' as const, 'passed' as const, 'dead' as const);

describe('standingOf', () => {
  const range = { hi: 19 };

  it('is open up to the upper bound, passed by our own count, and dead by that of the oracle', () => {
    assert.equal(standingOf(range, 19, 19), 'open');
    assert.equal(standingOf(range, 20, 19), 'passed');
    assert.equal(standingOf(range, 20, null), 'passed');
    assert.equal(standingOf(range, 20, 20), 'dead');
    assert.equal(standingOf(range, 19, 20), 'dead');
    assert.equal(standingOf(range, null, null), 'open');
    assert.equal(standingOf({ hi: null }, 1_000, 1_000), 'open');
  });
});

describe('probNow', () => {
  it('knows nothing of a bucket that the count passed after the forecast', () => {
    assert.equal(probNow(0.4, { hi: 19 }, 'passed', 19), null);
    assert.equal(probNow(0.02, { hi: 19 }, 'passed', 20), 0.02);
    assert.equal(probNow(0.4, { hi: 19 }, 'open', 19), 0.4);
    assert.equal(probNow(0.4, { hi: 19 }, 'dead', 19), 0);
  });
});

describe('evaluateBucket', () => {
  it('takes the fee of the market into account', () => {
    const fees = [0, 0.03, 0.05].map((rate) =>
      evaluateBucket(0.6, sides(0.49, 0.5, 0.5), 'open', { rate, exponent: 1 }),
    );
    assert.deepEqual(
      fees.map(({ edgeNet }) => edgeNet),
      [0.1, 0.0925, 0.0875],
    );
    assert.deepEqual(
      fees.map(({ fee }) => fee.rate),
      [0, 0.03, 0.05],
    );
  });

  it('compares the figures as they are published, and sizes for the ask with the fee', () => {
    const { kelly, ...rest } = open(0.440012, sides(0.3, 0.32, 0.31));
    assert.deepEqual(rest, {
      standing: 'open',
      prob: 0.44,
      price: 0.31,
      bid: 0.3,
      ask: 0.32,
      bidSize: 100,
      askSize: 200,
      edge: 0.13,
      edgeNet: 0.1091,
      action: 'BUY',
      codes: ['UNDERVALUED'],
      noKelly: null,
      fee: { rate: 0.05, exponent: 1 },
    });
    assert.equal(kelly, fullKelly(0.44, costOfShare(0.32)));
  });

  it('buys above an edge of 0.05 and sells from -0.05 down', () => {
    assert.deepEqual(outcome(0.3501, book(0.3)), ['BUY', 'UNDERVALUED']);
    assert.deepEqual(outcome(0.35, book(0.3)), ['HOLD', 'NO_TRADE_BAND']);
    assert.deepEqual(outcome(0.3, book(0.3)), ['HOLD', 'NO_TRADE_BAND']);
    assert.deepEqual(outcome(0.2501, book(0.3)), ['HOLD', 'NO_TRADE_BAND']);
    assert.deepEqual(outcome(0.25, book(0.3)), ['SELL', 'OVERVALUED']);
  });

  it('holds when costs leave nothing of the edge, whether to buy or to sell', () => {
    assert.deepEqual(outcome(0.36, book(0.3, 0.06)), ['HOLD', 'COSTS_EXCEED_EDGE']);
    assert.deepEqual(outcome(0.24, book(0.3, 0.06)), ['HOLD', 'COSTS_EXCEED_EDGE']);
  });

  it('holds when there is no offer to trade at', () => {
    assert.deepEqual(outcome(0.9, sides(0.3, null, 0.3)), ['HOLD', 'NO_ASK']);
    assert.deepEqual(outcome(0.1, sides(null, 0.3, 0.3)), ['HOLD', 'NO_BID']);
    assert.deepEqual(outcome(0.1, sides(1, 0.9, 0.95)), ['HOLD', 'NO_BID']);
    assert.equal(open(0.9, sides(0.3, null, 0.3)).edgeNet, null);
  });

  it('skips an empty book, and still gives the edge at the last price', () => {
    for (const empty of [
      undefined,
      sides(null, null, 0.3),
      sides(0.2, 0.3, null),
      sides(null, 0.001, 0.00001),
      sides(0.999, null, 1),
    ]) {
      const { prob, price, edge, action, codes } = open(0.5, empty);
      assert.equal(prob, 0.5);
      assert.equal(edge === null, price === null);
      assert.deepEqual([action, codes], ['SKIP', ['EMPTY_BOOK']]);
    }
    assert.equal(open(0.5, sides(null, null, 0.3)).edge, 0.2);
  });

  it('skips what has no probability, and still gives the price', () => {
    const { prob, price, edge, action } = open(null, book(0.3));
    assert.deepEqual([prob, price, edge, action], [null, 0.3, null, 'SKIP']);
  });

  it('sells a bucket that a count has passed at any bid that pays a cent more than it is worth', () => {
    const passed = (prob: number, bid: number | null) => {
      const { action, codes, noKelly } = evaluateBucket(prob, sides(bid, 0.06, 0.04), 'passed');
      return [action, codes[0], noKelly !== null];
    };
    assert.deepEqual(passed(0, 0.03), ['SELL', 'PASSED_BY_COUNT', true]);
    assert.deepEqual(passed(0.01, 0.03), ['SELL', 'PASSED_BY_COUNT', true]);
    assert.deepEqual(passed(0.02, 0.03), ['HOLD', 'NO_TRADE_BAND', false]);
    assert.deepEqual(passed(0, 0.01), ['HOLD', 'NO_TRADE_BAND', false]);
    assert.deepEqual(passed(0, null), ['HOLD', 'NO_TRADE_BAND', false]);
    assert.equal(evaluateBucket(0, sides(0.03, 0.06, 0.04), 'dead').action, 'SELL');
    assert.equal(open(0, sides(0.03, 0.06, 0.04)).noKelly, null);
    const { noKelly } = evaluateBucket(0.01, sides(0.2, 0.3, 0.25), 'passed');
    assert.equal(noKelly, fullKelly(0.99, costOfShare(0.8)));
  });

  it('sizes No at 1 minus the bid with the fee where Yes is to be sold, whatever the fee', () => {
    const fee = { rate: 0.03, exponent: 1 };
    const { action, codes, noKelly } = evaluateBucket(0.1, sides(0.3, 0.32, 0.31), 'open', fee);
    assert.deepEqual([action, codes], ['SELL', ['OVERVALUED']]);
    assert.equal(noKelly, fullKelly(0.9, costOfShare(0.7, fee)));
  });

  it('keeps edge, action and stake in line, whatever the figures', () => {
    fc.assert(
      fc.property(share, anyBook, anyStanding, (prob, quoted, standing) => {
        const evaluated = evaluateBucket(prob, quoted, standing);
        const { edge, edgeNet, action, kelly, noKelly, codes, bid, ask } = evaluated;
        if (edge === null) assert.ok(action === 'SKIP' || noKelly !== null);
        if (action === 'BUY') {
          assert.ok(edge !== null && edge > 0.05 && edgeNet !== null && edgeNet > 0 && ask !== null);
          assert.ok(kelly !== null && kelly > 0 && noKelly === null);
        }
        if (action === 'SELL') {
          assert.ok(bid !== null && proceedsOfShare(bid) > (evaluated.prob ?? 1));
          assert.ok(codes.includes('PASSED_BY_COUNT') || (edge !== null && edge <= -0.05));
        }
        const isPriced = action === 'SELL' && bid !== null && bid < 1;
        const wanted = isPriced ? fullKelly(1 - (evaluated.prob ?? 1), costOfShare(1 - bid)) : 0;
        assert.equal(noKelly, wanted > 0 ? wanted : null);
        if (edge !== null && edgeNet !== null) assert.ok(edgeNet <= edge);
      }),
      { numRuns: 1_000 },
    );
  });
});
