import type { ScoredRow } from '../../../src/research/backtest/summary.ts';

const DAY_MS = 86_400_000;

/** A window of two days with one forecast. */
export function scoredRow(
  index: number,
  final: number,
  { crps = 5, top = 0.5, isTopHit = true } = {},
): ScoredRow {
  const startAt = index * 2 * DAY_MS;
  return {
    ...{ originAt: startAt, startAt, endAt: startAt + 2 * DAY_MS, count: 0, final },
    ...{ p5: 90, p50: 100, p95: 110, quantiles: Array.from({ length: 99 }, (_, level) => 51 + level) },
    scores: {
      ...{ crps, crpsPace: 10, logScore: 1, logScorePace: 2, pit: 0.5 },
      ...{ topProbability: top, isTopHit, market: null },
    },
  };
}
