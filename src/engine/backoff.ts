import { SourceError } from '../errors.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** An unknown error is a bug of ours: trying again soon would only repeat it. */
const AFTER_BUG_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 60_000;

/** So many failures in a row and the circuit is open: the source is down, not just hiccuping. */
export const CIRCUIT_FAILURES = 5;

/**
 * Ms until the next try after `failures` in a row: full jitter, so that many sources do not return in step,
 * but never before the time the other side asked for. `random` gives numbers in [0, 1).
 */
export function delayBefore(error: unknown, failures: number, random: () => number): number {
  if (!(error instanceof SourceError)) return AFTER_BUG_MS;
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  const asked = Math.min(LONGEST_RETRY_AFTER_MS, error.retryAfterMs ?? 0);
  return Math.round(asked + random() * ceiling);
}
