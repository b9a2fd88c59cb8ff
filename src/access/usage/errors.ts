import { USAGE_ERRORS_KEPT, type UsageError, type UsageStore } from '../../store/store.ts';
import type { RecordedRequest } from './recorder.ts';

/** Of all keys together, while the disk is full. */
const MAX_WAITING = 20_000;
const MAX_MESSAGE_CHARS = 200;

/** The newest errors of each key: those in memory together with those in the store. */
interface UsageErrors {
  /** A request that was answered with an error. */
  add(keyId: string, request: RecordedRequest): void;
  /** Newest first. */
  newest(keyId: string, limit: number): readonly UsageError[];
  /** The errors since the last time. */
  take(): readonly UsageError[];
  /** To be called when what was taken is on disk. */
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
      // Cut rarely, as each cut copies all the others.
      if (waiting.length >= 2 * MAX_WAITING) waiting = waiting.slice(-MAX_WAITING);
    },

    newest(keyId, limit) {
      // What is being written may already be in the store, under its number.
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

/** Without those that the store would drop at once. */
function newestOfEach(errors: readonly UsageError[]): readonly UsageError[] {
  const newest = new Map<string, number>();
  for (const { keyId, n } of errors) newest.set(keyId, n);
  return errors.filter(({ keyId, n }) => n > (newest.get(keyId) ?? 0) - USAGE_ERRORS_KEPT);
}
