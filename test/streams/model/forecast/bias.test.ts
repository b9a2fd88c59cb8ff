import assert from 'node:assert/strict';
import { biasFactor, type ClosedForecast } from '../../../../streams/model/forecast/bias.ts';

function closed(length: number, final: (index: number) => number): ClosedForecast[] {
  const quantiles = Array.from({ length: 10 }, (_, index) => 65 + 10 * index);
  return Array.from({ length }, (_, index) => ({
    hours: 48,
    count: 10,
    mean: 100,
    quantiles,
    final: final(index),
  }));
}

describe('bias factor', () => {
  it('is 1 before 26 events have closed', () => {
    assert.equal(biasFactor(closed(25, () => 180)), 1);
  });

  it('leans towards what past events needed, by n / (n + 100)', () => {
    const factor = biasFactor(closed(50, () => 180));
    assert.ok(Math.abs(factor - (170 / 100) ** (50 / 150)) < 1e-12);
  });

  it('is 1 where correcting would not have helped', () => {
    // Too low at first, too high ever since: what was learnt then has only done harm.
    assert.equal(biasFactor(closed(60, (index) => (index < 10 ? 400 : 75))), 1);
  });

  it('is 1 where nothing happened or was expected', () => {
    assert.equal(biasFactor(closed(30, () => 10)), 1);
  });
});
