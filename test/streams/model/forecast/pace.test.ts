import assert from 'node:assert/strict';
import { paceFinalCount } from '../../../../streams/model/forecast/pace.ts';
import { accountSeries } from '../../../../streams/model/forecast/series.ts';
import { quantileOf } from '../../../../streams/model/forecast/simulate.ts';
import { DAY_MS, FIRST_AT, HOUR_MS } from './synthetic.ts';

/** A post every half hour. */
const posts = Array.from({ length: 48 * 20 }, (_, index) => FIRST_AT + index * (HOUR_MS / 2));
const NOW = FIRST_AT + 10 * DAY_MS;

describe('pace', () => {
  const series = accountSeries(posts, FIRST_AT, NOW);

  it('continues the pace of the last seven days', () => {
    const final = paceFinalCount(series, { startAt: NOW - DAY_MS, endAt: NOW + 2 * DAY_MS, count: 48 });
    assert.equal(quantileOf(final, 0.5), 48 + 96);
  });

  it('passes over unseen hours', () => {
    const gap = { fromAt: NOW - 3 * DAY_MS, toAt: NOW - DAY_MS };
    const holed = accountSeries(
      posts.filter((at) => at < gap.fromAt || at >= gap.toAt),
      FIRST_AT,
      NOW,
      [gap],
    );
    const final = paceFinalCount(holed, { startAt: NOW, endAt: NOW + 2 * DAY_MS, count: 0 });
    assert.equal(quantileOf(final, 0.5), 96);
  });

  it('counts only what is inside a window that has not begun', () => {
    const final = paceFinalCount(series, { startAt: NOW + DAY_MS, endAt: NOW + 2 * DAY_MS, count: 0 });
    assert.equal(quantileOf(final, 0.5), 48);
  });

  it('is the count once the window has closed', () => {
    const final = paceFinalCount(series, { startAt: NOW - DAY_MS, endAt: NOW, count: 48 });
    assert.deepEqual(
      [0.01, 0.99].map((level) => quantileOf(final, level)),
      [48, 48],
    );
  });
});
