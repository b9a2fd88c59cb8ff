import assert from 'node:assert/strict';
import fc from 'fast-check';
import { accountSeries, MISSING } from '../../../../streams/model/forecast/series.ts';
import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from './synthetic.ts';

const posts = syntheticPosts(20);

describe('account series', () => {
  it('counts every post before now once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 * DAY_MS }), (passed) => {
        const now = FIRST_AT + passed;
        const series = accountSeries(posts, FIRST_AT, now);
        const expected = posts.filter((at) => at < now);
        assert.equal(
          series.counts.reduce((sum, count) => sum + count, series.countThisHour),
          expected.length,
        );
        assert.equal(series.lastPostAt, expected.at(-1) ?? null);
        assert.equal(series.counts.length, Math.floor(passed / HOUR_MS));
      }),
    );
  });

  it('does not look at posts from now on', () => {
    const now = FIRST_AT + 9.4 * DAY_MS;
    const known = posts.filter((at) => at < now);
    const other = [...known, now, now + 5, now + DAY_MS];
    assert.deepEqual(accountSeries(posts, FIRST_AT, now), accountSeries(known, FIRST_AT, now));
    assert.deepEqual(accountSeries(other, FIRST_AT, now), accountSeries(known, FIRST_AT, now));
  });

  it('marks hours as missing when more than a tenth of them was not seen', () => {
    const fromAt = FIRST_AT + 10.95 * HOUR_MS;
    const { counts } = accountSeries(posts, FIRST_AT, FIRST_AT + DAY_MS, [
      { fromAt, toAt: fromAt + 1.5 * HOUR_MS },
    ]);
    const missing = [...counts.keys()].filter((hour) => counts[hour] === MISSING);
    assert.deepEqual(missing, [11, 12]);
  });

  it('knows the present hour to be missing while a gap lasts', () => {
    const now = FIRST_AT + 10.5 * HOUR_MS;
    const gap = { fromAt: now - 2 * HOUR_MS, toAt: Number.POSITIVE_INFINITY };
    const { counts, countThisHour } = accountSeries(posts, FIRST_AT, now, [gap]);
    assert.equal(countThisHour, MISSING);
    assert.equal(counts[9], MISSING);
  });
});
