import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { fitModel } from '../../../../streams/model/forecast/fit.ts';
import { accountNow, inputsAt } from '../../../../streams/model/forecast/inputs.ts';
import { accountSeries } from '../../../../streams/model/forecast/series.ts';
import { sleepProbability } from '../../../../streams/model/forecast/sleep.ts';
import { simulate } from './simulated.ts';
import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from './synthetic.ts';

/** Everything from posts to probabilities, to the last digit. */
function wholeForecast(posts: ArrayLike<number>, now: number) {
  const series = accountSeries(posts, FIRST_AT, now);
  const params = fitModel(series);
  const inputs = inputsAt(accountNow(series), params, {
    startAt: now - 2 * DAY_MS,
    endAt: now + 5 * DAY_MS - 20 * HOUR_MS,
    count: 77,
  });
  const buckets = Array.from({ length: 30 }, (_, index) => ({ lo: 20 * index, hi: 20 * index + 19 }));
  return {
    params,
    inputs,
    forecast: simulate(inputs, buckets, 42),
    sleep: sleepProbability(series.now, posts),
  };
}

const NOW = FIRST_AT + 120 * DAY_MS + 5.3 * HOUR_MS;

describe('a whole forecast', () => {
  const posts = syntheticPosts(130);
  const forecast = wholeForecast(posts, NOW);

  it('has the same digits on every machine and Node version', () => {
    const digest = createHash('sha256').update(JSON.stringify(forecast)).digest('hex');
    assert.equal(digest, '20a565bf437e4871372e33557eac10879a8e27a39631e94ebee05480312b451b');
  });

  it('is not changed by anything that happens after it', () => {
    const silence = posts.filter((at) => at < NOW);
    const noise = [...silence, ...Array.from({ length: 5_000 }, (_, index) => NOW + index * 977)];
    assert.deepEqual(wholeForecast(silence, NOW), forecast);
    assert.deepEqual(wholeForecast(noise, NOW), forecast);
  });

  it('survives JSON', () => {
    const { inputs } = forecast;
    assert.deepEqual(simulate(JSON.parse(JSON.stringify(inputs)), [], 1), simulate(inputs, [], 1));
  });
});
