const WINDOW_MS = 60_000;

/** So many addresses are remembered; a flood of them pushes the oldest out. */
const MAX_ADDRESSES = 10_000;

/** Counts what an address got wrong within a minute, so that it can be held back. */
export interface FailedKeys {
  /** Notes one more. Returns 0, or how many ms the address has to wait as it had too many already. */
  note(address: string, nowMs: number): number;
  /** How many ms the address has to wait; 0 when it may try. */
  waitMs(address: string, nowMs: number): number;
}

/** `most` are let pass in a minute. */
export function createFailedKeys(most: number): FailedKeys {
  const failures = new Map<string, { readonly sinceMs: number; count: number }>();
  return {
    note(address, nowMs) {
      const known = failures.get(address);
      if (known !== undefined && nowMs - known.sinceMs < WINDOW_MS) {
        if (known.count >= most) return known.sinceMs + WINDOW_MS - nowMs;
        known.count += 1;
        return 0;
      }
      failures.delete(address);
      const [oldest] = failures.size >= MAX_ADDRESSES ? failures.keys() : [];
      if (oldest !== undefined) failures.delete(oldest);
      failures.set(address, { sinceMs: nowMs, count: 1 });
      return 0;
    },
    waitMs(address, nowMs) {
      const known = failures.get(address);
      if (known === undefined || known.count < most) return 0;
      return Math.max(0, known.sinceMs + WINDOW_MS - nowMs);
    },
  };
}
