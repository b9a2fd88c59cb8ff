import assert from 'node:assert/strict';
import { featuresNow } from '../../../../streams/model/forecast/features.ts';
import { accountNow, inputsAt } from '../../../../streams/model/forecast/inputs.ts';
import { coldStart } from '../../../../streams/model/forecast/params.ts';
import { accountSeries } from '../../../../streams/model/forecast/series.ts';
import { slowModel } from './slow-model.ts';
import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from './synthetic.ts';

const posts = syntheticPosts(75);
/** Noon in New York of a summer day, so that the history has a clock change in it. */
const NOW = FIRST_AT + 72 * DAY_MS + 16 * HOUR_MS;

function close(actual: number | undefined, expected: number | undefined): void {
  assert.ok(actual !== undefined && expected !== undefined);
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);
}

describe('state', () => {
  const series = accountSeries(posts, FIRST_AT, NOW);
  const account = accountNow(series);
  const slow = slowModel(posts, FIRST_AT / HOUR_MS, NOW / HOUR_MS);
  const hourOfWeek = account.calendar[series.counts.length] ?? 0;
  const { level, values } = featuresNow(account.state, series, hourOfWeek);

  it('gives levels and unevenness as the slow formulas do', () => {
    const [, l1 = 0, l3 = 0, l7 = 0, l14 = 0, l28 = 0, l56 = 0] = slow.levels;
    close(level, slow.base);
    const expected = [1, l1 - l7, l3 - l7, l7 - l28, l14 - l28, l56 - l28, (slow.levels[0] ?? 0) - l1];
    for (const [index, value] of expected.entries()) close(values[index], value);
    close(account.state.unevenness, slow.unevenness);
    close(account.state.meanUnevenness, slow.meanUnevenness);
    close(values[12], slow.unevenness - slow.meanUnevenness);
  });

  it('holds the time since the last post and the time of day', () => {
    const last = Array.from(posts).findLast((at) => at < NOW) ?? 0;
    close(values[7], Math.log(1 + (NOW - last) / HOUR_MS) - 0.7);
    assert.deepEqual(
      [...values.subarray(8, 12)].map((value) => Math.round(value) + 0),
      [-1, 0, 1, 0],
    );
  });

  it('expects and doubts as the formulas written out do', () => {
    const hours = 60;
    const params = coldStart();
    const inputs = inputsAt(account, params, {
      startAt: NOW - DAY_MS,
      endAt: NOW + hours * HOUR_MS,
      count: 7,
    });
    const g = Math.log(hours / 48);
    const x = values.subarray(0, 6);
    const z = values.subarray(6, 8);
    const p = values.subarray(8, 12);
    const product = (row: ArrayLike<number>, from: number, of: readonly number[]) =>
      Array.from(row).reduce((sum, value, index) => sum + value * (of[from + index] ?? 0), 0);
    const mean =
      slow.base +
      Math.log(slow.massAhead(hours) + 1e-6) +
      product(x, 0, params.mean) +
      g * product(x, 6, params.mean) +
      Math.exp(-hours / 6) * product(z, 12, params.mean) +
      Math.exp(-hours / 18) * product(p, 14, params.mean);
    const dispersion =
      product([1, g, g * g, values[12] ?? 0], 0, params.dispersion) +
      Math.exp(-hours / 18) * product(p, 4, params.dispersion) +
      Math.exp(-hours / 6) * product(z, 8, params.dispersion) +
      product(
        [x[1], Math.abs(x[1] ?? 0), x[3], Math.abs(x[3] ?? 0)].map((value) => value ?? 0),
        10,
        params.dispersion,
      );
    close(Math.log(inputs.mean), mean);
    const days = (NOW - FIRST_AT) / DAY_MS;
    const fit = 1 + Math.exp(-days / 56);
    close(inputs.dispersion, fit * Math.exp(dispersion) + (0.6 / (days + 0.5)) * Math.exp(-days / 28));
    close(
      inputs.shares.reduce((sum, share) => sum + share, 0),
      1,
    );
    assert.equal(inputs.shares.length, 3);
  });

  it('stops the clock of the levels in unseen hours', () => {
    const fromAt = NOW - 10 * DAY_MS;
    const toAt = NOW - 4 * DAY_MS;
    const outside = posts.filter((at) => at < fromAt || at >= toAt);
    const gap = [{ fromAt, toAt }];
    const withHole = accountNow(accountSeries(outside, FIRST_AT, NOW, gap)).state;
    const asSeen = accountNow(accountSeries(posts, FIRST_AT, NOW, gap)).state;
    assert.deepEqual(withHole, asSeen);
    const asSilence = accountNow(accountSeries(outside, FIRST_AT, NOW)).state;
    const rate = (at: typeof withHole) => (at.posts[4] ?? 0) / (at.hours[4] ?? 1);
    assert.ok(rate(withHole) > 1.3 * rate(asSilence));
  });
});
