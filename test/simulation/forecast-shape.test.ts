import assert from 'node:assert/strict';
import { createForecastShape } from './forecast-shape.ts';
import { createViolations } from './violations.ts';

const RECORD = {
  market_oracle_counter: 5,
  forecast: { p5: 5, p50: 8, p95: 12 },
  distribution: [
    { count: 5, prob: 0.25 },
    { count: 9, prob: 0.75 },
  ],
  markets: [
    { lo: 0, hi: 9, model_prob: 0.7 },
    { lo: 10, hi: null, model_prob: 0.3 },
  ],
};

function isRight(change: object = {}, channel = 'prediction'): boolean {
  const violations = createViolations(() => 0);
  const record = { ...RECORD, ...change };
  createForecastShape(violations)({ channel, account: 'a', key: '5', record });
  assert.ok((violations.checked.get(11) ?? 0) > 0);
  return violations.found.length === 0;
}

describe('createForecastShape', () => {
  it('finds nothing wrong with what is ordered, high enough and adds up', () => {
    assert.ok(isRight());
    assert.ok(isRight({ market_oracle_counter: null }));
  });

  it('finds percentiles out of order, in a portfolio too', () => {
    assert.ok(!isRight({ forecast: { p5: 5, p50: 13, p95: 12 } }));
    assert.ok(!isRight({ forecast: { p5: 9, p50: 8, p95: 12 } }));
    assert.ok(isRight({ prediction: { p5: 1, p50: 2, p95: 3 } }, 'portfolio'));
    assert.ok(!isRight({ prediction: { p5: 3, p50: 2, p95: 3 } }, 'portfolio'));
  });

  it('finds counts below that of the oracle', () => {
    assert.ok(!isRight({ forecast: { p5: 4, p50: 8, p95: 12 } }));
    assert.ok(!isRight({ market_oracle_counter: 6, forecast: { p5: 6, p50: 8, p95: 12 } }));
  });

  it('finds probabilities that do not add up to 1, or are none', () => {
    const markets = (first: number | null, second: number) => ({
      markets: [
        { lo: 0, hi: 9, model_prob: first },
        { lo: 10, hi: null, model_prob: second },
      ],
    });
    assert.ok(isRight(markets(0.7001, 0.3)) && !isRight(markets(0.71, 0.3)) && !isRight(markets(0.69, 0.3)));
    assert.ok(!isRight(markets(-0.1, 1.1)));
    assert.ok(isRight(markets(null, 0.3)) && !isRight(markets(null, 1.1)));
    assert.ok(!isRight({ distribution: [{ count: 9, prob: 0.99 }] }));
  });

  it('lets the buckets add up to less once the oracle has passed one, until the next forecast', () => {
    const markets = [
      { lo: 0, hi: 4, model_prob: 0 },
      { lo: 5, hi: null, model_prob: 0.9 },
    ];
    assert.ok(isRight({ markets }));
    assert.ok(!isRight({ markets, market_oracle_counter: 4 }));
  });
});
