import { closedError, isUnreachable } from './bus-error.ts';
import type { Time } from './time.ts';

const FIRST_RETRY_MS = 20;
const LONGEST_RETRY_MS = 500;

export interface RetryOptions {
  readonly time: Time;
  readonly signal: AbortSignal;
  /** Trouble that is tried again. */
  readonly report: (error: unknown) => void;
}

/**
 * Attempts something until its outcome is known and `attempt` gives one: undefined asks for another attempt. Rejects with
 * `BUS_CLOSED` when the signal is aborted.
 */
export async function retryUntilKnown<T>(
  { time, signal, report }: RetryOptions,
  attempt: () => Promise<{ readonly outcome: T } | undefined>,
): Promise<T> {
  for (let pauseMs = FIRST_RETRY_MS; !signal.aborted; pauseMs = Math.min(LONGEST_RETRY_MS, pauseMs * 2)) {
    try {
      const known = await attempt();
      if (known !== undefined) return known.outcome;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      report(error);
    }
    await time.pause(pauseMs, signal);
  }
  throw closedError();
}

/** Repeats an attempt while the bus is unreachable. */
export function retryUnreachable<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  return retryUntilKnown(options, async () => ({ outcome: await attempt() }));
}
