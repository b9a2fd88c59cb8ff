import assert from 'node:assert/strict';
import { jobsToCorrect } from '../../../src/research/backtest/bias-correction.ts';
import type { JobResult } from '../../../src/research/backtest/forecast-job.ts';
import { coldStart } from '../../../streams/internal.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
const WEEKS = 40;

const windows = Array.from({ length: WEEKS }, (_, week) => ({
  startAt: week * WEEK_MS,
  endAt: (week + 1) * WEEK_MS,
  total: null,
}));
/** Fits are made a while after a window has opened, when the one before it is settled. */
const jobs = windows.map(({ startAt }, window) => ({
  fitAt: startAt + 3 * HOUR_MS,
  forecasts: [{ originAt: startAt + 3 * HOUR_MS, window }],
}));
const material = {
  postTimes: new Float64Array(),
  gaps: [],
  windows,
  prices: [],
  knownUntil: WEEKS * WEEK_MS,
};

/** Every window had twice the posts that were expected three days before its end. */
function results(finalOf: (window: number) => number = () => 200): JobResult[] {
  const quantiles = Array.from({ length: 10 }, (_, index) => 55 + 10 * index);
  return windows.map((_, window) => ({
    rows: [],
    params: coldStart(),
    made: [{ window, forecast: { hours: 72, count: 0, mean: 100, quantiles }, final: finalOf(window) }],
  }));
}

describe('backtest correction', () => {
  it('begins with the first fit after 26 windows have been settled', () => {
    const corrected = jobsToCorrect(jobs, results(), material);
    assert.deepEqual(
      corrected.map(({ index }) => index),
      Array.from({ length: WEEKS - 26 }, (_, index) => 26 + index),
    );
    const bias = corrected[0]?.job.params?.bias ?? [];
    assert.deepEqual(bias.slice(0, 2), [1, 1]);
    assert.ok(Math.abs((bias[2] ?? 0) - 2 ** (26 / 126)) < 1e-12);
  });

  it('waits until the last window is settled', () => {
    const early = jobs.map((job) => ({ ...job, fitAt: job.fitAt - 2 * HOUR_MS }));
    assert.equal(jobsToCorrect(early, results(), material)[0]?.index, 27);
  });

  it('is not changed by windows that close later', () => {
    const [first] = jobsToCorrect(jobs, results(), material);
    const [same] = jobsToCorrect(
      jobs,
      results((window) => (window < 26 ? 200 : 10_000)),
      material,
    );
    assert.deepEqual(same, first);
  });

  it('leaves forecasts alone that it would not have helped', () => {
    const fair = results((window) => (window < 5 ? 300 : 90));
    assert.deepEqual(jobsToCorrect(jobs, fair, material), []);
  });
});
