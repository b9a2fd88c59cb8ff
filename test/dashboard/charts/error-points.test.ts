import assert from 'node:assert/strict';
import { errorPoints } from '../../../src/dashboard/charts/error-points.ts';

const sample = (second: number, error_pct: number | null, origin: 'live' | 'history' = 'live') => ({
  timestamp: new Date(second * 1_000).toISOString(),
  error_pct,
  origin,
});

describe('errorPoints', () => {
  it('draws live and back-filled forecasts apart, and leaves out what has no error', () => {
    const { columns, nLive, nBackfilled } = errorPoints([
      sample(1, 4, 'history'),
      sample(2, null),
      sample(3, 8),
    ]);
    assert.deepEqual(columns, [
      [1, 3],
      [null, 8],
      [4, null],
      [4, 6],
    ]);
    assert.deepEqual([nLive, nBackfilled], [1, 1]);
  });

  it('runs the median over nine events', () => {
    const { columns } = errorPoints(Array.from({ length: 12 }, (_, place) => sample(place, place)));
    assert.deepEqual(columns[3], [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7]);
  });

  it('counts the errors above the chart instead of flattening the others', () => {
    const errors = [...Array.from({ length: 39 }, () => 8), 400];
    const { most, beyond } = errorPoints(errors.map((error, place) => sample(place, error)));
    assert.deepEqual([most, beyond], [10, 1]);
    assert.equal(errorPoints([]).most, 10);
  });
});
