import { SourceError } from '../errors.ts';
import { jitteredDelay } from '../resilience/backoff.ts';
import type { Circuit } from '../resilience/circuit-breaker.ts';

const BACKOFF = { firstMs: 1_000, longestMs: 8_000 };
/** An unexpected error is a bug of ours, and would soon happen again. */
const AFTER_BUG_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 60_000;
/** While the circuit is open the source is tried about this often, so that the end of an outage is soon noticed. */
const PROBE_MS = 5_000;

/**
 * Ms until a failed source is started again: the time that the other side asked for, plus a random time below 1, 2, 4,
 * 8 s, or 4 to 6 s when the circuit is open. `random` gives numbers in [0, 1).
 */
export function restartDelay(
  error: unknown,
  circuit: Pick<Circuit, 'failures' | 'isOpen'>,
  random: () => number,
): number {
  if (!(error instanceof SourceError)) return AFTER_BUG_MS;
  const askedMs = Math.min(LONGEST_RETRY_AFTER_MS, error.retryAfterMs ?? 0);
  const ownMs = circuit.isOpen()
    ? PROBE_MS * (0.8 + 0.4 * random())
    : jitteredDelay(BACKOFF, circuit.failures, random);
  return Math.round(askedMs + ownMs);
}
