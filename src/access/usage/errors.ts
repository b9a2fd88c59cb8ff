import { USAGE_ERRORS_KEPT, type UsageError, type UsageStore } from '../../store/store.ts';
import type { Use } from './recorder.ts';

/** Of all keys together, when the disk takes none. */
const MAX_WAITING = 20_000;
const MAX_MESSAGE_CHARS = 200;

/** The newest errors of each key: those not yet on disk over those in the store. */
export interface UsageErrors {
  /** A request that was answered with an error. */
  add(keyId: string, use: Use): void;
  /** Newest first. */
  newest(keyId: string, limit: number): readonly UsageError[];
  /** What came since it was last taken. */
  take(): readonly UsageError[];
  /** Told when what was taken is on disk. */
  written(): void;
  /** Takes back what could not be written. */
  restore(): void;
}

export function createUsageErrors(store: UsageStore): UsageErrors {
  const lastNumbers = new Map<string, number>();
  let waiting: UsageError[] = [];
  let taken: readonly UsageError[] = [];

  function nextNumber(keyId: string): number {
    const n = (lastNumbers.get(keyId) ?? store.errors(keyId, 1)[0]?.n ?? 0) + 1;
    lastNumbers.set(keyId, n);
    return n;
  }

  return {
    add(keyId, { at, endpoint, method, status, ms, message }) {
      const text = message === '' ? `Status ${status}` : message.slice(0, MAX_MESSAGE_CHARS);
      waiting.push({ keyId, n: nextNumber(keyId), at, endpoint, method, status, ms, message: text });
      // Cut seldom: to cut one at a time would move all the others each time.
      if (waiting.length >= 2 * MAX_WAITING) waiting = waiting.slice(-MAX_WAITING);
    },

    newest(keyId, limit) {
      // What is being written may be found in the store already, under its number.
      const byNumber = new Map(store.errors(keyId, limit).map((error) => [error.n, error]));
      for (const error of [...taken, ...waiting]) if (error.keyId === keyId) byNumber.set(error.n, error);
      return [...byNumber.values()].sort((a, b) => b.n - a.n).slice(0, limit);
    },

    take() {
      taken = newestOfEach(waiting);
      waiting = [];
      return taken;
    },

    written() {
      taken = [];
    },

    restore() {
      waiting = [...taken, ...waiting].slice(-MAX_WAITING);
      taken = [];
    },
  };
}

/** Without those that the store would drop again at once. */
function newestOfEach(errors: readonly UsageError[]): readonly UsageError[] {
  const newest = new Map<string, number>();
  for (const { keyId, n } of errors) newest.set(keyId, n);
  return errors.filter(({ keyId, n }) => n > (newest.get(keyId) ?? 0) - USAGE_ERRORS_KEPT);
}
