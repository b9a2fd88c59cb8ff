import assert from 'node:assert/strict';
import { marketOf } from '../../../src/world/market/event.ts';
import type { Quote } from '../../../src/world/market/quotes.ts';
import { levelChanges, topOf } from '../../../src/world/wire/book-json.ts';

const market = marketOf(1, 0, {
  title: '',
  question: '',
  slug: '',
  lo: 0,
  hi: null,
  outcomes: ['Yes', 'No'],
});

const quote: Quote = {
  slot: 1,
  since: 0,
  until: 1,
  tick: 10,
  bids: [
    { price: 480, size: 30 },
    { price: 470, size: 15 },
  ],
  asks: [{ price: 520, size: 25 }],
  last: null,
  hasTraded: false,
};

describe('levelChanges', () => {
  const rows = (after: Quote, outcome: 0 | 1 = 0) =>
    levelChanges(market, quote, after, outcome).map(({ side, price, size }) => [side, price, size]);

  it('is empty between equal books', () => {
    assert.deepEqual(rows({ ...quote, slot: 2 }), []);
  });

  it('names new totals, new levels and levels that went away, and nothing else', () => {
    const bids = [
      { price: 490, size: 5 },
      { price: 480, size: 31 },
    ];
    assert.deepEqual(rows({ ...quote, bids }), [
      ['BUY', '0.48', '31'],
      ['BUY', '0.47', '0'],
      ['BUY', '0.49', '5'],
    ]);
  });

  it('mirrors the sides for the other token', () => {
    assert.deepEqual(rows({ ...quote, asks: [{ price: 530, size: 25 }] }, 1), [
      ['BUY', '0.48', '0'],
      ['BUY', '0.47', '25'],
    ]);
  });
});

describe('topOf', () => {
  it('writes an absent price as an empty text', () => {
    assert.deepEqual(topOf({ ...quote, bids: [] }, 0), { bid: '', ask: '0.52', spread: '', mid: '0.26' });
  });
});
