import assert from 'node:assert/strict';
import fc from 'fast-check';
import { digamma, lgamma, trigamma } from '../../../../streams/model/forecast/gamma-function.ts';

const positive = fc.double({ min: 0.01, max: 5_000, noNaN: true, noDefaultInfinity: true });

describe('gamma function', () => {
  it('is the factorial at whole numbers', () => {
    let sum = 0;
    for (let n = 1; n <= 200; n++) {
      assert.ok(Math.abs(lgamma(n) - sum) <= 1e-13 * Math.max(1, sum), `${n}`);
      sum += Math.log(n);
    }
  });

  it('is the root of pi at a half', () => {
    assert.ok(Math.abs(lgamma(0.5) - Math.log(Math.PI) / 2) < 1e-14);
  });

  it('grows by ln x from x to x + 1', () => {
    fc.assert(
      fc.property(positive, (x) => {
        const step = lgamma(x + 1) - lgamma(x);
        assert.ok(Math.abs(step - Math.log(x)) < 1e-13 * Math.max(1, Math.abs(lgamma(x + 1))));
      }),
    );
  });

  it('has a derivative that starts at minus the constant of Euler and grows by 1 / x', () => {
    assert.ok(Math.abs(digamma(1) + 0.5772156649015329) < 1e-14);
    fc.assert(
      fc.property(positive, (x) => {
        assert.ok(Math.abs(digamma(x + 1) - digamma(x) - 1 / x) < 1e-12 * Math.max(1, 1 / x));
      }),
    );
  });

  it('has a second derivative that starts at pi^2 / 6 and falls by 1 / x^2', () => {
    assert.ok(Math.abs(trigamma(1) - Math.PI ** 2 / 6) < 1e-13);
    fc.assert(
      fc.property(positive, (x) => {
        assert.ok(Math.abs(trigamma(x) - trigamma(x + 1) - 1 / x ** 2) < 1e-12 * Math.max(1, 1 / x ** 2));
      }),
    );
  });
});
