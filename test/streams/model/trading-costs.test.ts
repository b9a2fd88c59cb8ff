import assert from 'node:assert/strict';
import fc from 'fast-check';
import { costOfBuying, takerFee } from '../../../streams/model/trading-costs.ts';

const price = fc.double({ min: 0, max: 1, noNaN: true });

describe('takerFee', () => {
  it('is 0.05 p (1 - p): nothing at 0 and 1, most in the middle', () => {
    assert.deepEqual([0, 0.5, 1].map(takerFee), [0, 0.0125, 0]);
    fc.assert(fc.property(price, (p) => assert.ok(takerFee(p) >= 0 && takerFee(p) <= 0.0125)));
  });
});

describe('costOfBuying', () => {
  it('is half the spread and the fee at the middle of a book', () => {
    assert.equal(costOfBuying(0.5, 0.51), 0.51 - 0.5 + 0.0125);
  });

  it('is unknown while there is no offer', () => assert.equal(costOfBuying(0.5, null), null));

  it('is never below the fee and never falls as the ask rises', () => {
    fc.assert(
      fc.property(price, price, price, (p, ask, other) => {
        const cost = costOfBuying(p, ask) ?? Number.NaN;
        assert.ok(cost >= takerFee(p));
        assert.ok((costOfBuying(p, Math.max(ask, other)) ?? 0) >= cost);
      }),
    );
  });
});
