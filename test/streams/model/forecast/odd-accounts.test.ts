import assert from 'node:assert/strict';
import { fitModel } from '../../../../streams/model/forecast/fit.ts';
import { accountNow, inputsAt } from '../../../../streams/model/forecast/inputs.ts';
import { coldStart, type ModelParams } from '../../../../streams/model/forecast/params.ts';
import { accountSeries, type Gap } from '../../../../streams/model/forecast/series.ts';
import { sleepProbability } from '../../../../streams/model/forecast/sleep.ts';
import { simulate } from './simulated.ts';
import { createDraw, DAY_MS, FIRST_AT, HOUR_MS } from './synthetic.ts';

const WEEK_MS = 7 * DAY_MS;

/** Posts at random times, so many a day by the day. */
function postsBy(days: number, perDay: (day: number) => number, seed = 1): number[] {
  const draw = createDraw(seed);
  const posts: number[] = [];
  for (let day = 0; day < days; day++) {
    const expected = perDay(day);
    // Thirty coins, or as many as are needed, give about Poisson's noise.
    const coins = Math.max(30, 2 * Math.ceil(expected));
    for (let coin = 0; coin < coins; coin++) {
      if (draw() / 2 ** 32 < expected / coins) posts.push(FIRST_AT + day * DAY_MS + (draw() % DAY_MS));
    }
  }
  return posts.sort((a, b) => a - b);
}

function weekAhead(posts: readonly number[], now: number, gaps: readonly Gap[] = [], given?: ModelParams) {
  const series = accountSeries(posts, FIRST_AT, now, gaps);
  const params = given ?? fitModel(series);
  const inputs = inputsAt(accountNow(series), params, { startAt: now, endAt: now + WEEK_MS, count: 0 });
  const forecast = simulate(inputs, [{ lo: 0, hi: 19 }], 7);
  const numbers = [inputs.mean, inputs.dispersion, ...inputs.shares, ...forecast.quantiles];
  numbers.push(...forecast.bucketProbs, sleepProbability(now, posts), ...params.mean, ...params.dispersion);
  assert.ok(numbers.every(Number.isFinite), JSON.stringify(inputs));
  return { ...forecast, mean: inputs.mean };
}

const ACCOUNTS: readonly (readonly [name: string, perDay: (day: number) => number])[] = [
  ['never posts', () => 0],
  ['posts once a week', () => 1 / 7],
  ['posts once a day', () => 1],
  ['posts 500 times a day', () => 500],
  ['posts on one day of thirty', (day) => (day % 30 === 7 ? 200 : 0)],
  ['falls silent for good', (day) => (day < 40 ? 30 : 0)],
  ['posts ten times as much from one day on', (day) => (day < 110 ? 8 : 80)],
];

describe('a forecast of an odd account', () => {
  for (const [name, perDay] of ACCOUNTS) {
    it(`that ${name} is a number at any age`, () => {
      const posts = postsBy(120, perDay);
      for (const ageMs of [
        0,
        1,
        HOUR_MS,
        5.5 * HOUR_MS,
        3 * DAY_MS,
        15 * DAY_MS,
        21 * DAY_MS,
        120 * DAY_MS,
      ]) {
        weekAhead(posts, FIRST_AT + ageMs);
        weekAhead(posts, FIRST_AT + ageMs, [], coldStart());
      }
    }).timeout(10_000);
  }

  for (const perDay of [1, 12, 500]) {
    it(`with ${perDay} posts a day holds what comes, from a week on`, () => {
      const posts = postsBy(140, () => perDay, 3);
      for (const days of [7, 15, 30, 60, 120]) {
        const now = FIRST_AT + days * DAY_MS;
        const { p5, p95, mean } = weekAhead(posts, now);
        const coming = posts.filter((at) => at >= now && at < now + WEEK_MS).length;
        assert.ok(p5 <= coming && coming <= p95, `${p5} ${coming} ${p95} after ${days}`);
        assert.ok(mean > 5 * perDay && mean < 12 * perDay, `${mean} after ${days}`);
      }
    }).timeout(10_000);
  }

  it('of no known history may come to nearly anything', () => {
    const { p5, p50, p95 } = weekAhead([], FIRST_AT);
    assert.ok(p5 < 20 && p50 > 20 && p50 < 200 && p95 > 250, `${p5} ${p50} ${p95}`);
  });

  it('doubts less as its history grows', () => {
    const posts = postsBy(40, () => 12, 5);
    const widths = [0, 1, 4, 10, 19].map((days) => {
      const { p5, p50, p95 } = weekAhead(posts, FIRST_AT + days * DAY_MS, [], coldStart());
      return (p95 - p5) / p50;
    });
    assert.deepEqual(
      widths.toSorted((a, b) => b - a),
      widths,
    );
  });

  it('does not take a hole in what was collected for silence', () => {
    const posts = postsBy(100, () => 20);
    const now = FIRST_AT + 100 * DAY_MS;
    const hole = { fromAt: now - 9 * DAY_MS, toAt: now - DAY_MS };
    const seen = posts.filter((at) => at < hole.fromAt || at >= hole.toAt);
    const { p5, p95, mean } = weekAhead(seen, now, [hole]);
    assert.ok(p5 < 140 && p95 > 140 && mean > 110 && mean < 170, `${p5} ${p95} ${mean}`);
  });
});
