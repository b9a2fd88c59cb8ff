import type { SizedSignal } from '../../../streams/internal.ts';

type Signal = 'STRONG_BUY' | 'BUY' | 'SLIGHT_BUY' | 'HOLD' | 'SELL';

/** Above these edges a purchase is strong, and one inside the no-trade band is worth a note. */
const STRONG_ABOVE = 0.15;
const SLIGHT_ABOVE = 0.02;

/** The decision on a bucket as one word; null while the edge is unknown. */
export function signalOf({
  action,
  edge,
  edgeNet,
}: Pick<SizedSignal, 'action' | 'edge' | 'edgeNet'>): Signal | null {
  if (edge === null) return null;
  if (action === 'BUY') return edge > STRONG_ABOVE ? 'STRONG_BUY' : 'BUY';
  if (action === 'SELL') return 'SELL';
  const isSlight = action === 'HOLD' && edge > SLIGHT_ABOVE && edgeNet !== null && edgeNet > 0;
  return isSlight ? 'SLIGHT_BUY' : 'HOLD';
}
