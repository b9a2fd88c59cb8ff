const MAX_FAILURES = 5;
const OPEN_MS = 30_000;

/** Keeps callers from waiting for a service that does not answer. */
export interface Circuit {
  /** Failures in a row. */
  readonly failures: number;
  /** Whether there were so many failures in a row that the service counts as down. */
  isOpen(): boolean;
  /** Whether a call may be tried: any while closed, one per period while open. */
  admits(): boolean;
  /** Ms until the next try is due; 0 while closed. */
  retryInMs(): number;
  answered(): void;
  /** `openMs` replaces the usual period until the next try. */
  failed(openMs?: number): void;
}

interface CircuitOptions {
  /** This many failures in a row open the circuit. */
  readonly maxFailures?: number;
  /** The period between two tries while the circuit is open. */
  readonly openMs?: number;
}

/** `now` is in ms and never goes back. */
export function createCircuit(
  now: () => number,
  { maxFailures = MAX_FAILURES, openMs = OPEN_MS }: CircuitOptions = {},
): Circuit {
  let failures = 0;
  let nextTryAt = 0;
  const isOpen = () => failures >= maxFailures;
  return {
    get failures() {
      return failures;
    },
    isOpen,
    admits() {
      if (!isOpen()) return true;
      if (now() < nextTryAt) return false;
      nextTryAt = now() + openMs;
      return true;
    },
    retryInMs: () => (isOpen() ? Math.max(0, nextTryAt - now()) : 0),
    answered() {
      failures = 0;
    },
    failed(periodMs = openMs) {
      failures += 1;
      if (isOpen()) nextTryAt = now() + periodMs;
    },
  };
}
