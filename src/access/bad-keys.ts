const WINDOW_MS = 60_000;
/** Room for a client that walks all endpoints with a mistyped key; no key is found by guessing in any case. */
const MAX_FAILURES = 100;

/** So many addresses are remembered; a flood of them pushes the oldest out. */
const MAX_ADDRESSES = 10_000;

/** Keeps those who try keys from trying many in a minute, by address. */
export interface BadKeys {
  /** Notes an unknown key. Returns 0, or how many ms the address has to wait as it had sent too many already. */
  note(address: string, nowMs: number): number;
  /** How many ms the address has to wait; 0 when it may try. */
  waitMs(address: string, nowMs: number): number;
}

/** `maxFailures` are let pass in a minute. */
export function createBadKeys(maxAddresses = MAX_ADDRESSES, maxFailures = MAX_FAILURES): BadKeys {
  const failures = new Map<string, { readonly sinceMs: number; count: number }>();
  return {
    note(address, nowMs) {
      const known = failures.get(address);
      if (known !== undefined && nowMs - known.sinceMs < WINDOW_MS) {
        if (known.count >= maxFailures) return known.sinceMs + WINDOW_MS - nowMs;
        known.count += 1;
        return 0;
      }
      failures.delete(address);
      const [oldest] = failures.size >= maxAddresses ? failures.keys() : [];
      if (oldest !== undefined) failures.delete(oldest);
      failures.set(address, { sinceMs: nowMs, count: 1 });
      return 0;
    },
    waitMs(address, nowMs) {
      const known = failures.get(address);
      if (known === undefined || known.count < maxFailures) return 0;
      return Math.max(0, known.sinceMs + WINDOW_MS - nowMs);
    },
  };
}
