import assert from 'node:assert/strict';
import { fitModel } from '../../../../streams/model/forecast/fit.ts';
import { accountNow, inputsAt } from '../../../../streams/model/forecast/inputs.ts';
import { coldStart, type ModelParams } from '../../../../streams/model/forecast/params.ts';
import { accountSeries } from '../../../../streams/model/forecast/series.ts';
import { simulate } from './simulated.ts';
import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from './synthetic.ts';

const MINUTE_MS = HOUR_MS / 60;
const posts = syntheticPosts(90);
const START_AT = FIRST_AT + 80 * DAY_MS;
const END_AT = START_AT + 3 * DAY_MS;
const BUCKETS = Array.from({ length: 20 }, (_, index) => ({
  lo: 20 * index,
  hi: index === 19 ? null : 20 * index + 19,
}));

/** Of the window of three days, with the posts made before `knownUntil` and maybe some more. */
function forecastAt(now: number, params: ModelParams, knownUntil = now, more: readonly number[] = []) {
  const known = [...posts.filter((at) => at < knownUntil), ...more];
  const count = known.filter((at) => at >= START_AT && at < Math.min(now, END_AT)).length;
  const account = accountNow(accountSeries(known, FIRST_AT, now));
  const inputs = inputsAt(account, params, { startAt: START_AT, endAt: END_AT, count });
  return { inputs, ...simulate(inputs, BUCKETS, 11) };
}

describe('inputs of a forecast', () => {
  const fitted = fitModel(accountSeries(posts, FIRST_AT, START_AT));

  it('have the remainder multiplied by the bias at their distance from the close', () => {
    const now = END_AT - 60 * HOUR_MS;
    const plain = forecastAt(now, fitted).inputs;
    const biased = forecastAt(now, { ...fitted, bias: [1, 1.2, 1.1] }).inputs;
    assert.ok(Math.abs(biased.mean / plain.mean - 1.15) < 1e-12);
    assert.deepEqual({ ...biased, mean: 0 }, { ...plain, mean: 0 });
  });

  it('move no probability by a point in a quiet minute, through hours, midnight and changes of the profile', () => {
    // From a quarter to midnight in New York on, and around two days before the end with a bias that differs there.
    for (const quietAt of [START_AT + 4.75 * HOUR_MS, END_AT - 48.25 * HOUR_MS]) {
      const params = { ...fitted, bias: [1, 1.1, 1] };
      let before = forecastAt(quietAt, params).bucketProbs;
      for (let minute = 1; minute <= 30; minute++) {
        const after = forecastAt(quietAt + minute * MINUTE_MS, params, quietAt).bucketProbs;
        for (const [index, probability] of after.entries()) {
          const moved = Math.abs(probability - (before[index] ?? 0));
          assert.ok(moved < 0.01, `bucket ${index} moved by ${moved} in minute ${minute}`);
        }
        before = after;
      }
    }
  }).timeout(10_000);

  it('never lower the distribution for a post more', () => {
    for (const params of [fitted, coldStart()]) {
      for (const hours of [1, 5, 17, 30, 50, 71]) {
        const now = START_AT + hours * HOUR_MS + 7 * MINUTE_MS;
        const before = forecastAt(now, params);
        const after = forecastAt(now, params, now, [now - 1]);
        for (const [percent, quantile] of before.quantiles.entries()) {
          assert.ok((after.quantiles[percent] ?? 0) >= quantile, `${percent} % after ${hours} h`);
        }
      }
    }
  });

  it('leave the count alone at the close', () => {
    const { inputs, p5, p95, quantiles } = forecastAt(END_AT, fitted);
    assert.equal(inputs.mean, 0);
    assert.ok([p5, p95, ...quantiles].every((quantile) => quantile === inputs.count));
  });
});
