export type Signal = 'STRONG_BUY' | 'BUY' | 'SLIGHT_BUY' | 'HOLD' | 'SELL';

/** What an edge, as it is published, says of a bucket. Unknown edges say nothing. */
export function signalOf(edge: number | null): Signal | null {
  if (edge === null) return null;
  if (edge > 0.15) return 'STRONG_BUY';
  if (edge > 0.05) return 'BUY';
  if (edge > 0.02) return 'SLIGHT_BUY';
  return edge >= -0.05 ? 'HOLD' : 'SELL';
}
