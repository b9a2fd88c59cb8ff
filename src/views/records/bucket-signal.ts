type Signal = 'STRONG_BUY' | 'BUY' | 'SLIGHT_BUY' | 'HOLD' | 'SELL';

/** The signal of a bucket by its published edge; null for an unknown one. */
export function signalOf(edge: number | null): Signal | null {
  if (edge === null) return null;
  if (edge > 0.15) return 'STRONG_BUY';
  if (edge > 0.05) return 'BUY';
  if (edge > 0.02) return 'SLIGHT_BUY';
  return edge >= -0.05 ? 'HOLD' : 'SELL';
}
