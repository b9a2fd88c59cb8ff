import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lagBins } from '../../../src/dashboard/charts/lag-bins.ts';

const NOW = 10_000_000;
const post = (agoMs: number, lagMs: number) => ({
  tweet_id: '',
  created_ts: NOW - agoMs,
  seen_ts: NOW - agoMs + lagMs,
  is_counted: true,
});

describe('lagBins', () => {
  it('counts every post of the hour, however late it was seen, and none before', () => {
    const bins = lagBins([post(5_000, 90), post(900_000, 700_000), post(3_600_000, 20)], NOW);
    assert.deepEqual(
      bins.filter(({ count }) => count > 0).map(({ aboveMs, upToMs, count }) => [aboveMs, upToMs, count]),
      [
        [Number.NEGATIVE_INFINITY, 100, 1],
        [300_000, null, 1],
      ],
    );
  });

  it('puts every post into one bin', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -100, max: 3_000_000 })), (lags) => {
        const bins = lagBins(
          lags.map((lagMs) => post(1_000, lagMs)),
          NOW,
        );
        assert.equal(
          bins.reduce((sum, { count }) => sum + count, 0),
          lags.length,
        );
      }),
    );
  });
});
