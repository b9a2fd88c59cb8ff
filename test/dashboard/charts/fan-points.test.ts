import assert from 'node:assert/strict';
import fc from 'fast-check';
import { apart, fanColumns } from '../../../src/dashboard/charts/fan-points.ts';

describe('fanColumns', () => {
  const past = [
    { at: 0, count: 0 },
    { at: 5_000, count: 3 },
    { at: 10_000, count: 3 },
  ];

  it('starts at the present count and ends at the forecast', () => {
    const [times, counts, p5, p50, p95] = fanColumns(
      past,
      { p5: 4, p50: 7, p95: 12 },
      { now: 10_000, endAt: 20_000 },
    );
    assert.deepEqual([times.at(-1), p5.at(-1), p50.at(-1), p95.at(-1)], [20, 4, 7, 12]);
    const now = times.indexOf(10);
    assert.deepEqual([counts[now], p5[now], p50[now], p95[now]], [3, 3, 3, 3]);
    assert.deepEqual(counts.slice(0, 2), [0, 3]);
  });

  it('keeps the percentiles in order and never below the count', () => {
    const parts = fc.tuple(fc.nat(200), fc.nat(200), fc.nat(200));
    fc.assert(
      fc.property(parts, ([a, b, c]) => {
        const fan = { p5: 3 + a, p50: 3 + a + b, p95: 3 + a + b + c };
        const [, , p5, p50, p95] = fanColumns(past, fan, { now: 10_000, endAt: 20_000 });
        for (const [place, low] of p5.entries()) {
          if (low === null) continue;
          const middle = p50[place] ?? Number.NaN;
          assert.ok(low >= 3 && low <= middle + 1e-9 && middle <= (p95[place] ?? Number.NaN) + 1e-9);
        }
      }),
    );
  });
});

describe('a forecast below our own count', () => {
  it('is drawn down to what may settle', () => {
    const past = [{ at: 10_000, count: 10 }];
    const [, , p5, p50, p95] = fanColumns(past, { p5: 5, p50: 5, p95: 6 }, { now: 10_000, endAt: 20_000 });
    assert.deepEqual([p5.at(-1), p50.at(-1), p95.at(-1)], [5, 5, 6]);
  });
});

describe('apart', () => {
  it('drops values that are too close, the same ones each time', () => {
    assert.deepEqual(apart([0, 4, 8, 12, 40, 41], 9), [0, 12, 40]);
    assert.deepEqual(apart([5], 9), [5]);
    assert.deepEqual(apart([], 9), []);
  });
});
