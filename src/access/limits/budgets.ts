import { MINUTE_MS } from '../../../streams/internal.ts';
import { remembered } from '../../resilience/remembered.ts';

/** What one caller was served lately. */
export interface Budget {
  /** Bytes taken and not yet made up for by time, at `atMs`. */
  used: number;
  atMs: number;
}

/**
 * Bytes that each caller may be served: a minute's at once, and what was taken comes back evenly. Times are in ms. What
 * was asked for earlier than other things may be taken later, with its own time.
 */
export interface Budgets {
  /** `caller` is the id of a key or an address. */
  of(caller: string): Budget;
  /** 0 while something is left, or the ms until it is. */
  waitMs(budget: Budget, nowMs: number): number;
  /** May take more than is left, as answers are sent whole: the caller then waits the longer. */
  take(budget: Budget, bytes: number, nowMs: number): void;
}

/** With more callers the one that was silent longest is forgotten, and has its whole budget again. */
const MAX_CALLERS = 50_000;

/** No caller has to wait for longer than `longestWaitMs`, however much it took. */
export function createBudgets(bytesPerMinute: number, longestWaitMs = Number.POSITIVE_INFINITY): Budgets {
  const budgets = remembered<string, Budget>(MAX_CALLERS);
  const bytesPerMs = bytesPerMinute / MINUTE_MS;
  const mostUsed = bytesPerMinute + longestWaitMs * bytesPerMs;

  function usedAt({ used, atMs }: Budget, nowMs: number): number {
    return Math.max(0, used - Math.max(0, nowMs - atMs) * bytesPerMs);
  }

  return {
    of(caller) {
      let budget = budgets.get(caller);
      if (budget === undefined) {
        budget = { used: 0, atMs: 0 };
        budgets.set(caller, budget);
      }
      return budget;
    },
    waitMs(budget, nowMs) {
      const used = usedAt(budget, nowMs);
      return used < bytesPerMinute ? 0 : Math.ceil((used - bytesPerMinute) / bytesPerMs) + 1;
    },
    take(budget, bytes, nowMs) {
      budget.used = Math.min(usedAt(budget, nowMs) + bytes, mostUsed);
      budget.atMs = Math.max(budget.atMs, nowMs);
    },
  };
}
