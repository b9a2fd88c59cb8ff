import assert from 'node:assert/strict';
import fc from 'fast-check';
import { priceOf } from '../../../streams/model/price.ts';
import { quote } from '../../support/facts.ts';

describe('priceOf', () => {
  const table = [
    ['the middle of the book', { bid: 0.25, ask: 0.75, last: 0.1, ui: 0.2 }, 0.5, 'mid'],
    ['the middle of a book without spread', { bid: 0.25, ask: 0.25 }, 0.25, 'mid'],
    ['the last trade when no side is there', { last: 0.3, ui: 0.6 }, 0.3, 'last'],
    ['the best ask when the last trade lies above it', { ask: 0.2, last: 0.3 }, 0.2, 'last'],
    ['the best bid when the last trade lies below it', { bid: 0.4, last: 0.3 }, 0.4, 'last'],
    ['the last trade between the sides that are there', { ask: 0.4, last: 0.3 }, 0.3, 'last'],
    ['the last trade when the book is crossed', { bid: 0.75, ask: 0.25, last: 0.9 }, 0.9, 'last'],
    ['the listing when nothing was traded', { ui: 0.6 }, 0.6, 'ui'],
    ['the listing held to the book', { ask: 0.5, ui: 0.6 }, 0.5, 'ui'],
    ['the listing when the book is crossed', { bid: 0.75, ask: 0.25, ui: 0.6 }, 0.6, 'ui'],
    ['0 and not nothing when the book says 0', { bid: 0, ask: 0 }, 0, 'mid'],
    ['0 when the last trade says 0', { last: 0, ui: 0.6 }, 0, 'last'],
  ] as const;

  for (const [name, sides, price, kind] of table) {
    it(`is ${name}`, () => assert.deepEqual(priceOf(quote(sides)), { price, kind }));
  }

  it('is unknown when one side is all there is, or nothing', () => {
    for (const sides of [{}, { bid: 0.1 }, { ask: 0.1 }]) assert.equal(priceOf(quote(sides)), null);
    assert.equal(priceOf(quote({ bid: 0.75, ask: 0.25 })), null);
  });

  it('lies between 0 and 1, and never outside a book that is not crossed', () => {
    const side = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.record({ bid: side, ask: side, last: side, ui: side }), (sides) => {
        const best = priceOf(sides);
        if (best === null) return;
        assert.ok(best.price >= 0 && best.price <= 1);
        const { bid, ask } = sides;
        if (bid !== null && ask !== null && bid > ask) return;
        assert.ok(best.price >= (bid ?? 0) && best.price <= (ask ?? 1));
      }),
      { numRuns: 1_000 },
    );
  });
});
