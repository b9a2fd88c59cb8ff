import { HOUR_MS, MINUTE_MS } from '../../../../streams/internal.ts';

/** How long an edge may spend what it was granted. */
export const VALID_MS = MINUTE_MS;

/** How long after an answer an edge remembers what it holds of a caller. */
export const SHARE_KEPT_MS = 3 * HOUR_MS;

/**
 * How long the engine relies on the reserve that an edge last stated. A call granted meanwhile counts for an hour after its
 * minute, and so long the edge has to remember; another minute is for clocks that run unevenly.
 */
export const RELIED_MS = SHARE_KEPT_MS - HOUR_MS - VALID_MS - MINUTE_MS;

/** Nothing older matters to a ledger that is restored. */
export const LEDGER_KEPT_MS = 2 * HOUR_MS;

/** The part of its limit that a caller has in reserve at an edge that knows nothing of it. */
export function unknownReserve(limit: number, parts: number): number {
  return Math.floor(limit / parts);
}
