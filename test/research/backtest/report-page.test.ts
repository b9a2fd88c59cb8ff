import assert from 'node:assert/strict';
import type { Row } from '../../../src/research/backtest/forecast-job.ts';
import { pageOf } from '../../../src/research/backtest/report-page.ts';
import { tableOf } from '../../../src/research/backtest/score-table.ts';
import { reportOf } from '../../../src/research/backtest/summary.ts';

const DAY_MS = 86_400_000;

/** Two forecasts of each of ten windows of two days; window k ends with 100 + k. */
function rows(): Row[] {
  return Array.from({ length: 20 }, (_, index) => {
    const window = Math.floor(index / 2);
    const startAt = window * 2 * DAY_MS;
    const final = 100 + window;
    return {
      originAt: startAt + (index % 2) * DAY_MS,
      startAt,
      endAt: startAt + 2 * DAY_MS,
      count: 40 * (index % 2),
      p5: 90,
      p50: 100,
      p95: 105,
      quantiles: Array.from({ length: 99 }, (_unused, level) => 85 + Math.floor(level / 4)),
      final,
      scores: {
        crps: 1 + window,
        crpsPace: 10,
        logScore: 1,
        logScorePace: 2,
        pit: (window + 0.5) / 10,
        topProbability: 0.5,
        isTopHit: window < 5,
        market: null,
      },
    };
  });
}

const ORIGIN = {
  ...{ command: 'tallywire backtest --posts posts.csv', version: '1.2.3' },
  files: [{ path: 'posts.csv', sha256: 'ab12' }],
  facts: [],
};

describe('backtest report', () => {
  const report = reportOf(rows());

  it('sums up all forecasts and those of each horizon', () => {
    assert.ok(report !== null);
    const { overall, by_horizon } = report;
    assert.equal(report.windows, 10);
    assert.equal(overall.n, 20);
    assert.equal(overall.crps, 5.5);
    assert.ok(Math.abs(overall.crps_gain + 0.45) < 1e-12);
    assert.equal(overall.coverage90, 0.6);
    assert.ok(Math.abs(overall.pit_mean - 0.5) < 1e-12);
    assert.equal(overall.top_bucket_hit_rate, 0.5);
    assert.ok(Math.abs(overall.median_ape - (4 / 104 + 5 / 105) / 2) < 1e-12);
    assert.equal(overall.market, null);
    assert.deepEqual(Object.keys(by_horizon), ['24', '48']);
    const [low, high] = overall.crps_gain_interval ?? [];
    assert.ok(low !== undefined && high !== undefined && low < -0.45 && high > -0.45);
  });

  it('takes a window with a change of the clocks for one of whole days', () => {
    const changed = rows().map((row) => ({ ...row, endAt: row.endAt - 3_600_000 }));
    assert.deepEqual(Object.keys(reportOf(changed)?.by_horizon ?? {}), ['24', '48']);
  });

  it('has no report of windows that have not ended', () => {
    const open = rows().map((row) => ({ ...row, final: null, scores: null }));
    assert.equal(reportOf(open), null);
    assert.match(pageOf(null, open, 'Open', ORIGIN), /No verdict: no window has a known end/);
  });

  it('prints a line for all and for each day ahead', () => {
    assert.ok(report !== null);
    assert.deepEqual(
      tableOf(report)
        .split('\n')
        .map((line) => line.trim().split(/\s+/)[0]),
      ['hours', 'all', '24', '48', 'Every', 'different'],
    );
    assert.match(tableOf(report), /hours left +n +windows/);
  });

  it('compares model, market and pool at the same instants, by hours left and with intervals by windows', () => {
    const market = {
      ...{ logScore: 1.5, logScoreModel: 1.25, logScorePool: 1.375, crps: 5, crpsModel: 4, crpsPool: 4.5 },
      ...{ brier: 0.7, brierModel: 0.6, brierPool: 0.65, isCovered: true, ape: 0.1 },
    };
    const priced = rows().map((row, index) => ({
      ...row,
      scores: row.scores && { ...row.scores, market: index % 2 === 0 ? market : null },
    }));
    const found = reportOf(priced);
    assert.ok(found?.overall.market);
    const { n, windows, log_score_difference, log_score_pool_difference_interval } = found.overall.market;
    assert.deepEqual([n, windows, log_score_difference], [10, 10, -0.25]);
    assert.deepEqual(log_score_pool_difference_interval, [-0.125, -0.125]);
    assert.equal(found.overall.market.log_score_pool_less_model, 0.125);
    assert.equal(found.by_horizon['24']?.market, null);
    const text = tableOf(found);
    assert.match(text, /\n +all +10 +10 +1\.250 +1\.500 +1\.375 +-0\.250 +-0\.250 to -0\.250 +-0\.125/);
    assert.match(text, /\n +48 +10 +10 /);
  });

  it('draws every picture into one page that loads nothing', () => {
    const page = pageOf(report, rows(), 'a <b> & c', ORIGIN);
    assert.equal(page.match(/<svg /g)?.length, 7 + 1 + 4 + 4);
    assert.ok(page.includes('a &lt;b> &amp; c'));
    assert.ok(page.includes('All are back-filled: none was published before its outcome.'));
    assert.ok(!/NaN|undefined|Infinity|https?:|<script|src=/.test(page));
  });

  it('begins with a verdict, ends with what it was made from, and tells values and themes', () => {
    const page = pageOf(report, rows(), 'Report', ORIGIN);
    const verdict = /<p class="verdict">([^<]*)/.exec(page)?.[1] ?? '';
    assert.match(
      verdict,
      /^Better than the pace of seven days: CRPS -45\.0 % .*95 % interval .*, 10 windows\.$/,
    );
    assert.ok(page.indexOf('class="verdict"') < page.indexOf('<table'));
    assert.match(page, /<dt>Command<\/dt><dd>tallywire backtest --posts posts\.csv<\/dd>/);
    assert.match(page, /<dt>posts\.csv<\/dt><dd>sha256 ab12<\/dd>/);
    assert.match(page, /<dt>Windows<\/dt><dd>1970-01-01 00:00 to 1970-01-21 00:00 UTC, 20 forecasts<\/dd>/);
    assert.match(page, /<title>24 h left: 5\.50, forecast<\/title>/);
    assert.match(page, /prefers-color-scheme: dark/);
  });
});
