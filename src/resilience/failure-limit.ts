import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../streams/internal.ts';

/** So many addresses are remembered; a flood of new ones pushes the oldest out. */
const MAX_ADDRESSES = 10_000;

/** Holds an address back that failed too often within a minute, such as with unknown keys or refused payments. */
interface FailureLimit {
  /** Counts one more failure. Returns 0, or how many ms the address has to wait when it had too many already. */
  count(address: string, nowMs: number): number;
  /** How many ms the address has to wait; 0 when it may try. */
  waitMs(address: string, nowMs: number): number;
}

/** Tolerates `most` failures a minute. */
export function createFailureLimit(most: number): FailureLimit {
  const failures = new LRUCache<string, { readonly sinceMs: number; count: number }>({ max: MAX_ADDRESSES });
  // Looked up without a change to their order, so that no address stays by failing on.
  return {
    count(address, nowMs) {
      const known = failures.peek(address);
      if (known === undefined || nowMs - known.sinceMs >= MINUTE_MS) {
        failures.set(address, { sinceMs: nowMs, count: 1 });
        return 0;
      }
      if (known.count >= most) return known.sinceMs + MINUTE_MS - nowMs;
      known.count += 1;
      return 0;
    },
    waitMs(address, nowMs) {
      const known = failures.peek(address);
      if (known === undefined || known.count < most) return 0;
      return Math.max(0, known.sinceMs + MINUTE_MS - nowMs);
    },
  };
}
