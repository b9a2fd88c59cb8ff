import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  ACCOUNT_CAP,
  accountShare,
  EVENT_CAP,
  eventShare,
  expectedValue,
  fullKelly,
  loneStake,
} from '../../../streams/model/sizing.ts';

const prob = fc.double({ min: 0, max: 1, noNaN: true });
const price = fc.double({ min: 0.001, max: 0.999, noNaN: true });

describe('fullKelly', () => {
  it('is (q - p) / (1 - p)', () => {
    assert.equal(fullKelly(0.75, 0.5), 0.5);
    assert.equal(fullKelly(1, 0.25), 1);
  });

  it('is 0 without an edge and without a price that can be paid', () => {
    assert.equal(fullKelly(0.5, 0.5), 0);
    assert.equal(fullKelly(0.2, 0.5), 0);
    for (const none of [0, 1, -0.1, 1.5, Number.NaN]) assert.equal(fullKelly(1, none), 0);
    assert.equal(fullKelly(Number.NaN, 0.5), 0);
  });

  it('lies in 0..1, is positive only with an edge, grows with the probability and falls with the price', () => {
    fc.assert(
      fc.property(prob, prob, price, price, (q, otherQ, p, otherP) => {
        const kelly = fullKelly(q, p);
        assert.ok(kelly >= 0 && kelly <= 1);
        assert.equal(kelly > 0, q > p);
        assert.ok(fullKelly(Math.max(q, otherQ), p) >= fullKelly(Math.min(q, otherQ), p));
        // Near a probability of 1 the quotient is 1 less a rounding error at every price.
        assert.ok(fullKelly(q, Math.min(p, otherP)) >= fullKelly(q, Math.max(p, otherP)) - 1e-12);
      }),
    );
  });

  it('grows a bankroll faster than stakes beside it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (q, p, stake) => {
          const growth = (f: number) => q * Math.log(1 + f * (1 / p - 1)) + (1 - q) * Math.log(1 - f);
          assert.ok(growth(fullKelly(q, p)) >= growth(stake) - 1e-12);
        },
      ),
    );
  });
});

describe('loneStake', () => {
  it('is a quarter of the full fraction up to the cap of the event', () => {
    assert.equal(loneStake(0.1), 0.025);
    assert.equal(loneStake(0.8), EVENT_CAP);
    assert.equal(loneStake(0), 0);
  });
});

describe('eventShare', () => {
  it('leaves stakes alone that fit together', () => assert.equal(eventShare(0.05), 1));

  it('never lets the sum exceed the cap and never raises a stake', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2, noNaN: true }), (sum) => {
        const share = eventShare(sum);
        assert.ok(share > 0 && share <= 1 && sum * share <= EVENT_CAP * (1 + 1e-12));
      }),
    );
  });
});

describe('accountShare', () => {
  it('leaves two full events alone and halves four', () => {
    assert.equal(accountShare(2 * EVENT_CAP), 1);
    assert.equal(accountShare(3 * EVENT_CAP), 0.65);
    assert.equal(accountShare(4 * EVENT_CAP), 0.5);
  });

  it('never lets the sum exceed the cap, and wastes little of it', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.5, noNaN: true }), (sum) => {
        const share = accountShare(sum);
        assert.ok(share <= 1 && sum * share <= ACCOUNT_CAP * (1 + 1e-8));
        assert.ok(sum * (share + 0.05) >= Math.min(sum, ACCOUNT_CAP) * (1 - 1e-8));
      }),
    );
  });
});

describe('expectedValue', () => {
  it('is q / p - 1, 0 at no edge, null without a price', () => {
    assert.equal(expectedValue(0.5, 0.25), 1);
    assert.equal(expectedValue(0.25, 0.25), 0);
    assert.equal(expectedValue(0.25, 0), null);
  });

  it('has the sign of the edge, is at least -1 and grows with the probability', () => {
    fc.assert(
      fc.property(prob, prob, price, (q, otherQ, p) => {
        const value = expectedValue(q, p) ?? Number.NaN;
        assert.ok(value >= -1);
        if (Math.abs(q - p) > 1e-9) assert.equal(Math.sign(value), Math.sign(q - p));
        const [low, high] = [Math.min(q, otherQ), Math.max(q, otherQ)].map((each) => expectedValue(each, p));
        assert.ok((low ?? 0) <= (high ?? 0));
      }),
    );
  });
});
