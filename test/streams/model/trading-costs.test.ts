import assert from 'node:assert/strict';
import fc from 'fast-check';
import { costOfShare, proceedsOfShare, takerFee } from '../../../streams/model/trading-costs.ts';

const price = fc.double({ min: 0, max: 1, noNaN: true });

describe('takerFee', () => {
  it('is 0.05 p (1 - p): nothing at 0 and 1, most in the middle', () => {
    assert.deepEqual(
      [0, 0.5, 1].map((p) => takerFee(p)),
      [0, 0.0125, 0],
    );
    fc.assert(fc.property(price, (p) => assert.ok(takerFee(p) >= 0 && takerFee(p) <= 0.0125)));
  });
});

describe('takerFee of a market', () => {
  it('is as the market states it: none, a lower rate, or another exponent', () => {
    assert.deepEqual(
      [0, 0.03, 0.05].map((rate) => takerFee(0.5, { rate, exponent: 1 })),
      [0, 0.0075, 0.0125],
    );
    assert.equal(takerFee(0.5, { rate: 0.25, exponent: 2 }), 0.015625);
    assert.equal(costOfShare(0.4, { rate: 0, exponent: 1 }), 0.4);
    assert.equal(proceedsOfShare(0.4, { rate: 0, exponent: 1 }), 0.4);
  });
});

describe('costOfShare and proceedsOfShare', () => {
  it('add the fee to what is bought and take it from what is sold', () => {
    assert.equal(costOfShare(0.5), 0.5125);
    assert.equal(proceedsOfShare(0.5), 0.4875);
  });

  it('make selling Yes at the bid and buying No at 1 minus the bid the same trade', () => {
    fc.assert(
      fc.property(price, (bid) => {
        assert.ok(Math.abs(proceedsOfShare(bid) - (1 - costOfShare(1 - bid))) < 1e-12);
      }),
    );
  });

  it('stay within 0..1 and never fall as the price rises', () => {
    fc.assert(
      fc.property(price, price, (p, other) => {
        for (const of of [costOfShare, proceedsOfShare]) {
          assert.ok(of(p) >= 0 && of(p) <= 1);
          assert.ok(of(Math.max(p, other)) >= of(Math.min(p, other)));
        }
      }),
    );
  });
});
