const MAX_FAILURES = 5;
const OPEN_MS = 30_000;

/** Keeps callers from waiting for a facilitator that does not answer. */
export interface Circuit {
  /** Whether it failed so often in a row that nobody should be sent there. */
  isOpen(): boolean;
  /** Whether a call may be tried: any while closed, one each half minute while open. */
  admits(): boolean;
  answered(): void;
  failed(): void;
}

/** `now` is in ms and never steps. */
export function createCircuit(now: () => number, openMs = OPEN_MS): Circuit {
  let failures = 0;
  let nextTryMs = 0;
  const isOpen = () => failures >= MAX_FAILURES;
  return {
    isOpen,
    admits() {
      if (!isOpen()) return true;
      if (now() < nextTryMs) return false;
      nextTryMs = now() + openMs;
      return true;
    },
    answered() {
      failures = 0;
    },
    failed() {
      failures += 1;
      if (isOpen()) nextTryMs = now() + openMs;
    },
  };
}
