import assert from 'node:assert/strict';
import { sameInstants } from '../../../src/views/performance/same-instants.ts';
import type { ScoredForecast } from '../../../src/views/performance/scores.ts';
import { scoreOutput } from '../../support/outputs.ts';

function forecast(
  eventId: number,
  probs: readonly number[],
  market: readonly number[],
  won = 0,
): ScoredForecast {
  const { record } = scoreOutput({ eventId });
  assert.ok(record.status === 'settled');
  return {
    ...{ score: record, won, wonPlace: won },
    ...{ probs: Float64Array.from(probs), market: Float64Array.from(market) },
  };
}

/** All steps at once. */
function scoresOf(forecasts: readonly ScoredForecast[]) {
  const steps = sameInstants(forecasts);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

describe('scores at the same instants', () => {
  it('compares model, market and pool where all three are known', () => {
    const scores = scoresOf([forecast(1, [0.8, 0.2], [0.2, 0.8]), forecast(2, [0.9, 0.1], [])]);
    assert.ok(scores !== null);
    assert.deepEqual([scores.n, scores.n_events], [1, 1]);
    const round = (value: number) => Math.round(value * 10_000) / 10_000;
    assert.deepEqual(
      [scores.log_score, scores.log_score_market, scores.log_score_pool],
      [round(-Math.log(0.8)), round(-Math.log(0.2)), round(Math.log(2))],
    );
    assert.deepEqual([scores.brier, scores.brier_market, scores.brier_pool], [0.08, 1.28, 0.5]);
    assert.equal(scores.log_score_model_less_market, round(Math.log(0.2 / 0.8)));
    assert.equal(scores.log_score_pool_less_model, round(Math.log(0.8 / 0.5)));
    assert.equal(scores.log_score_pool_less_market_interval, null);
  });

  it('counts each event once, and gives intervals by events, the same each time', () => {
    const forecasts = [
      forecast(1, [0.5, 0.5], [0.5, 0.5]),
      forecast(1, [0.5, 0.5], [0.5, 0.5]),
      forecast(1, [0.5, 0.5], [0.5, 0.5]),
      forecast(2, [0.9, 0.1], [0.1, 0.9]),
    ];
    const scores = scoresOf(forecasts);
    assert.ok(scores !== null);
    assert.deepEqual([scores.n, scores.n_events], [4, 2]);
    assert.ok(Math.abs((scores.log_score_model_less_market ?? 0) - Math.log(1 / 9) / 2) < 1e-4);
    const [low, high] = scores.log_score_model_less_market_interval ?? [];
    assert.ok(Math.abs((low ?? 0) - Math.log(1 / 9)) < 1e-4 && high === 0);
    assert.deepEqual(scoresOf(forecasts), scores);
  });

  it('is null without a price, and where model and market exclude one another', () => {
    assert.equal(scoresOf([]), null);
    assert.equal(scoresOf([forecast(1, [0.5, 0.5], [])]), null);
    assert.equal(scoresOf([forecast(1, [1, 0], [0, 1])]), null);
  });
});
