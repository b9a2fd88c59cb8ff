import { SourceError } from '../errors.ts';

const FIRST_MS = 1_000;
/** An unknown error is a bug of ours: trying again soon would only repeat it. */
const AFTER_BUG_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 60_000;

/** So many failures in a row and the circuit is open: the source is down, not just hiccuping. */
export const CIRCUIT_FAILURES = 5;
/** With an open circuit one probe goes out about this often, so that the end of an outage is soon seen. */
const PROBE_MS = 5_000;

/**
 * Ms until the next try after `failures` in a row: a random time below 1, 2, 4, 8 s, so that many sources do
 * not return in step, then a probe every 4 to 6 s; never before the time the other side asked for. `random`
 * gives numbers in [0, 1).
 */
export function delayBefore(error: unknown, failures: number, random: () => number): number {
  if (!(error instanceof SourceError)) return AFTER_BUG_MS;
  const asked = Math.min(LONGEST_RETRY_AFTER_MS, error.retryAfterMs ?? 0);
  const own =
    failures >= CIRCUIT_FAILURES
      ? PROBE_MS * (0.8 + 0.4 * random())
      : random() * FIRST_MS * 2 ** (failures - 1);
  return Math.round(asked + own);
}
