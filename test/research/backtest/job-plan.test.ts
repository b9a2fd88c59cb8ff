import assert from 'node:assert/strict';
import fc from 'fast-check';
import { planJobs } from '../../../src/research/backtest/job-plan.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const windows = fc.array(
  fc.record({ start: fc.nat(100), days: fc.integer({ min: 1, max: 31 }) }).map(({ start, days }) => ({
    startAt: start * DAY_MS,
    endAt: (start + days) * DAY_MS,
    total: null,
  })),
  { minLength: 1, maxLength: 12 },
);

describe('backtest plan', () => {
  it('fits before every forecast and never more than a week before', () => {
    fc.assert(
      fc.property(windows, (some) => {
        for (const { fitAt, forecasts } of planJobs(some, 12 * HOUR_MS)) {
          for (const { originAt } of forecasts) assert.ok(fitAt <= originAt && originAt < fitAt + 7 * DAY_MS);
        }
      }),
    );
  });

  it('forecasts each window every twelve hours from its start to before its end', () => {
    fc.assert(
      fc.property(windows, (some) => {
        const planned = planJobs(some, 12 * HOUR_MS).flatMap(({ forecasts }) => forecasts);
        for (const [window, { startAt, endAt }] of some.entries()) {
          const origins = planned
            .filter((forecast) => forecast.window === window)
            .map(({ originAt }) => originAt);
          const expected = Array.from(
            { length: (endAt - startAt) / (12 * HOUR_MS) },
            (_, index) => startAt + index * 12 * HOUR_MS,
          );
          assert.deepEqual(origins, expected);
        }
      }),
    );
  });
});
