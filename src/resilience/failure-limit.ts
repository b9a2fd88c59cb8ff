import { MINUTE_MS } from '../../streams/internal.ts';
import { remembered } from './remembered.ts';

/** With more addresses the oldest is forgotten. */
const MAX_ADDRESSES = 10_000;

/** Makes an address wait that failed too often within a minute, for example with unknown keys or refused payments. */
interface FailureLimit {
  /** Counts a failure. Returns 0, or the ms that the address has to wait when it already had too many. */
  count(address: string, nowMs: number): number;
  /** Ms that the address has to wait; 0 when it may try. */
  waitMs(address: string, nowMs: number): number;
}

/** Allows `most` failures a minute. */
export function createFailureLimit(most: number): FailureLimit {
  const failures = remembered<string, { readonly sinceMs: number; count: number }>(MAX_ADDRESSES);
  // An entry of the future was made before the calendar was set back, and says nothing.
  const isOver = (sinceMs: number, nowMs: number) => nowMs - sinceMs >= MINUTE_MS || nowMs < sinceMs;
  // `peek` does not renew an entry, so an address that keeps failing is not remembered longer.
  return {
    count(address, nowMs) {
      const known = failures.peek(address);
      if (known === undefined || isOver(known.sinceMs, nowMs)) {
        failures.set(address, { sinceMs: nowMs, count: 1 });
        return 0;
      }
      if (known.count >= most) return known.sinceMs + MINUTE_MS - nowMs;
      known.count += 1;
      return 0;
    },
    waitMs(address, nowMs) {
      const known = failures.peek(address);
      if (known === undefined || known.count < most || isOver(known.sinceMs, nowMs)) return 0;
      return known.sinceMs + MINUTE_MS - nowMs;
    },
  };
}
