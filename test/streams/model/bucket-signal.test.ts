import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Book, evaluateBucket, stakeOf } from '../../../streams/model/bucket-signal.ts';
import { stakeFraction } from '../../../streams/model/sizing.ts';

const book = (price: number, half = 0.005): Book => ({ bid: price - half, ask: price + half, price });
const outcome = (prob: number | null, quoted: Book | undefined) => {
  const { action, codes } = evaluateBucket(prob, quoted);
  return [action, ...codes];
};
const share = fc.double({ min: 0, max: 1, noNaN: true });
const anyBook = fc.record({ bid: fc.option(share), ask: fc.option(share), price: fc.option(share) });

describe('evaluateBucket', () => {
  it('compares the figures as they are published', () => {
    assert.deepEqual(evaluateBucket(0.440012, { bid: 0.3, ask: 0.32, price: 0.31 }), {
      prob: 0.44,
      price: 0.31,
      bid: 0.3,
      ask: 0.32,
      edge: 0.13,
      edgeNet: 0.1093,
      action: 'BUY',
      codes: ['UNDERVALUED'],
    });
  });

  it('buys above an edge of 0.05 and sells from -0.05 down', () => {
    assert.deepEqual(outcome(0.3501, book(0.3)), ['BUY', 'UNDERVALUED']);
    assert.deepEqual(outcome(0.35, book(0.3)), ['HOLD', 'NO_TRADE_BAND']);
    assert.deepEqual(outcome(0.3, book(0.3)), ['HOLD', 'NO_TRADE_BAND']);
    assert.deepEqual(outcome(0.2501, book(0.3)), ['HOLD', 'NO_TRADE_BAND']);
    assert.deepEqual(outcome(0.25, book(0.3)), ['SELL', 'OVERVALUED']);
  });

  it('holds when costs leave nothing of the edge', () => {
    assert.deepEqual(outcome(0.36, book(0.3, 0.06)), ['HOLD', 'COSTS_EXCEED_EDGE']);
  });

  it('holds when there is no offer to trade at', () => {
    assert.deepEqual(outcome(0.9, { bid: 0.3, ask: null, price: 0.3 }), ['HOLD', 'NO_ASK']);
    assert.deepEqual(outcome(0.1, { bid: null, ask: 0.3, price: 0.3 }), ['HOLD', 'NO_BID']);
    assert.equal(evaluateBucket(0.9, { bid: 0.3, ask: null, price: 0.3 }).edgeNet, null);
  });

  it('skips an empty book without leaving a price', () => {
    for (const empty of [
      undefined,
      { bid: null, ask: null, price: 0.3 },
      { bid: 0.2, ask: 0.3, price: null },
      { bid: null, ask: 0.001, price: 0.00001 },
      { bid: 0.999, ask: null, price: 1 },
    ]) {
      const { prob, price, edge, edgeNet, action, codes } = evaluateBucket(0.5, empty);
      assert.deepEqual([prob, price, edge, edgeNet], [0.5, null, null, null]);
      assert.deepEqual([action, codes], ['SKIP', ['EMPTY_BOOK']]);
    }
  });

  it('skips what has no probability, and still gives the price', () => {
    const { prob, price, edge, action } = evaluateBucket(null, book(0.3));
    assert.deepEqual([prob, price, edge, action], [null, 0.3, null, 'SKIP']);
  });

  it('keeps edge, action and stake in line, whatever the figures', () => {
    fc.assert(
      fc.property(share, anyBook, (prob, quoted) => {
        const evaluated = evaluateBucket(prob, quoted);
        const { edge, edgeNet, action, price } = evaluated;
        assert.equal(edge === null, action === 'SKIP');
        assert.equal(stakeOf(evaluated) > 0, action === 'BUY');
        if (action === 'BUY') assert.ok(edge !== null && edge > 0.05 && edgeNet !== null && edgeNet > 0);
        if (action === 'SELL') assert.ok(edge !== null && edge <= -0.05);
        if (edge !== null && edgeNet !== null) assert.ok(edgeNet <= edge);
        if (action === 'BUY')
          assert.equal(stakeOf(evaluated), stakeFraction(evaluated.prob ?? 0, price ?? 0));
      }),
      { numRuns: 1_000 },
    );
  });
});
