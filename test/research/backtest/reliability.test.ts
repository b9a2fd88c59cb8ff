import assert from 'node:assert/strict';
import { merged, quantileReliability, topReliability } from '../../../src/research/backtest/reliability.ts';
import { scoredRow as row } from './scored-row.ts';

describe('reliability', () => {
  it('joins bins until each has five forecasts', () => {
    assert.deepEqual(merged([[1], [2, 3, 4, 5], [], [6, 7, 8, 9, 10, 11], [12]]), [
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10, 11, 12],
    ]);
    assert.deepEqual(merged([[1], [2]]), []);
  });

  it('compares the probability of the likeliest bucket with how often it won', () => {
    const rows = Array.from({ length: 10 }, (_, index) =>
      row(index, 100, { top: index < 5 ? 0.25 : 0.75, isTopHit: index >= 6 }),
    );
    const [low, high] = topReliability(rows);
    assert.deepEqual([low?.promised, low?.happened, low?.n, low?.interval], [0.25, 0, 5, [0, 0]]);
    assert.deepEqual([high?.promised, high?.happened], [0.75, 0.8]);
    const [from, to] = high?.interval ?? [];
    assert.ok(from !== undefined && to !== undefined && from < 0.8 && to === 1);
  });

  it('counts the outcomes at or below each quantile', () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(index, index < 3 ? 60 : 140));
    const found = quantileReliability(rows);
    assert.deepEqual(
      found.map(({ promised, happened }) => [promised, happened]),
      [
        [0.05, 0],
        [0.1, 0.3],
        [0.25, 0.3],
        [0.5, 0.3],
        [0.75, 0.3],
        [0.9, 1],
        [0.95, 1],
      ],
    );
    assert.deepEqual(quantileReliability(rows.slice(0, 4)), []);
  });
});
