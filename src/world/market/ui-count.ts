import type { Overrides } from '../control/overrides.ts';
import { hash32 } from '../rng.ts';
import type { WorldEvent } from './event.ts';
import type { OracleCount } from './oracle-count.ts';

const REFRESH_MS = 180_000;
const SHORTEST_LAG_MS = 60_000;

/**
 * The count the trading page shows: the oracle's, copied each three minutes and a minute old by then, so one
 * to four minutes behind. Null before the count starts.
 */
export function uiCount(
  overrides: Overrides,
  oracleCount: OracleCount,
  event: WorldEvent,
  now: number,
): number | null {
  const forced = overrides.uiCounts.get(event.id);
  if (forced !== undefined) return forced;
  if (event.subject.type !== 'posts' || now < event.startAt) return null;
  const phaseMs = hash32('ui', event.id) % REFRESH_MS;
  const refreshedAt = Math.floor((now - phaseMs) / REFRESH_MS) * REFRESH_MS + phaseMs;
  return oracleCount.total(event, refreshedAt - SHORTEST_LAG_MS);
}
