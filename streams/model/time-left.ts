import { HOUR_MS } from './durations.ts';
import { HORIZON_HOURS } from './horizons.ts';

export type Confidence = 'HIGH' | 'MEDIUM' | 'LOW';

/** How near the close is: HIGH under 24 h, MEDIUM to 48 h, LOW beyond (spec 2.5). */
export function timeConfidence(leftMs: number): Confidence {
  if (leftMs < 24 * HOUR_MS) return 'HIGH';
  return leftMs <= 48 * HOUR_MS ? 'MEDIUM' : 'LOW';
}

/**
 * The horizon whose track record applies this long before the close: the next one farther out, where forecasts are
 * harder. Null beyond the farthest, where nothing is scored.
 */
export function horizonOf(leftMs: number): number | null {
  return HORIZON_HOURS.find((hours) => leftMs <= hours * HOUR_MS) ?? null;
}
