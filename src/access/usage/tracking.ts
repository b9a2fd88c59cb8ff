import { DAY_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { createPeriodicWrite } from '../../resilience/periodic-write.ts';
import type { UsageError, UsageRow, UsageStore } from '../../store/store.ts';
import { createUsageErrors } from './errors.ts';
import { createUsagePages, type UsageSum } from './pages.ts';
import { createUsageBuffer, type RecordedRequest, type UsageRecorder } from './recorder.ts';

const FLUSH_INTERVAL_MS = 1_000;
/** How often old rows are dropped, in steps of so many rows until none is left to drop. */
const PRUNE_INTERVAL_MS = 10 * MINUTE_MS;
const PRUNE_ROWS = 200;

/** Requests without a known key share one account, which no key can read over HTTP. */
const ANONYMOUS = 'anonymous';

interface UsageDeps {
  readonly store: UsageStore;
  /** UTC ms. */
  readonly now: () => number;
  /** UTC ms when all that tells the time agrees on it; undefined while it does not, and nothing is dropped. */
  readonly agreedNow?: () => number | undefined;
  readonly retentionDays: number;
  /** Called with the first of several failures in a row. */
  readonly report: (error: unknown) => void;
  /** Most requests between two flushes. */
  readonly capacity?: number;
  /** Whether anyone can ask for the usage of this key. That of others is not split by seconds. True unless given. */
  readonly isRead?: (keyId: string) => boolean;
}

/** The time that a sum covers, in UTC ms: what is stored of the time asked for, up to now. */
export interface Covered {
  readonly fromAt: number;
  readonly toAt: number;
}

export interface UsageStats {
  readonly size: number;
  readonly capacity: number;
  readonly dropped: number;
  readonly lastFlushAt: number | null;
  readonly flushIntervalMs: number;
  readonly retentionDays: number;
}

/** What the usage endpoints read. It includes the last request that was answered. */
export interface UsageReader {
  /** Sums per endpoint and method, busiest first, over the whole seconds `[from, to)` since 1970. */
  sum(keyId: string, from: number, to: number): { rows: readonly UsageRow[]; covered: Covered };
  errors(keyId: string, limit: number): readonly UsageError[];
  stats(): UsageStats;
}

/** Requests that another process answered: their sums, and those that ended in an error. */
export interface UsageBatch {
  readonly sums: readonly (UsageSum & { readonly keyId: string | null })[];
  readonly errors: readonly RecordedRequest[];
}

export interface UsageTracking extends UsageRecorder, UsageReader {
  /** Counts what another process answered. It is stored with the next flush. */
  add(batch: UsageBatch): void;
  /** Adds up what was recorded and writes it. Never rejects: what could not be written is tried again. */
  flush(): Promise<void>;
  /** Flushes once a second from now on. */
  start(): void;
  /** Flushes one last time. */
  stop(): Promise<void>;
}

export function createUsageTracking(deps: UsageDeps): UsageTracking {
  const { store, now, agreedNow = now, retentionDays, report, capacity, isRead = () => true } = deps;
  const buffer = createUsageBuffer(now, capacity);
  const writes = createPeriodicWrite({ everyMs: FLUSH_INTERVAL_MS, write: addUpAndWrite, report });
  const pages = createUsagePages(store, writes.report);
  const errors = createUsageErrors(store);
  let unrecorded = 0;
  let lastFlushAt: number | null = null;
  let pruneAt = 0;

  function addUp(): void {
    buffer.drain((request) => {
      const keyId = request.keyId ?? ANONYMOUS;
      if (!pages.add(keyId, sumOf(request), isRead(keyId))) unrecorded += 1;
      else if (request.status >= 400) errors.add(keyId, request);
    });
  }

  async function write(): Promise<void> {
    const dirty = pages.takeDirty();
    const news = errors.take();
    try {
      if (dirty.length + news.length > 0) await store.write(dirty, news);
    } catch (error) {
      pages.restore(dirty);
      errors.restore();
      throw error;
    }
    pages.written(dirty);
    errors.written();
  }

  async function prune(): Promise<void> {
    // A time further off than an interval was set by a calendar that has been corrected since.
    const untilMs = pruneAt - now();
    if (untilMs > 0 && untilMs <= PRUNE_INTERVAL_MS) return;
    const at = agreedNow();
    if (at === undefined) return;
    const dropped = await store.prune(at - retentionDays * DAY_MS, PRUNE_ROWS);
    if (dropped < PRUNE_ROWS) pruneAt = now() + PRUNE_INTERVAL_MS;
  }

  async function addUpAndWrite(): Promise<void> {
    addUp();
    await write();
    lastFlushAt = now();
    await prune();
  }

  return {
    record: buffer.record,
    add(batch) {
      for (const sum of batch.sums) {
        const keyId = sum.keyId ?? ANONYMOUS;
        if (!pages.add(keyId, sum, isRead(keyId))) unrecorded += sum.requests;
      }
      for (const request of batch.errors) errors.add(request.keyId ?? ANONYMOUS, request);
    },

    sum(keyId, from, to) {
      addUp();
      // Nothing is stored outside of these seconds, however much is asked for.
      const oldest = Math.floor((now() - retentionDays * DAY_MS) / 1_000);
      const end = Math.floor(now() / 1_000) + 1;
      const inside = (second: number) => Math.min(Math.max(second, oldest), end);
      const [first, last] = [inside(from), Math.max(inside(from), inside(to))];
      const rows = [...pages.sum(keyId, first, last)].sort(byRequests);
      const at = (second: number) => Math.min(second * 1_000, now());
      return { rows, covered: { fromAt: at(first), toAt: at(last) } };
    },

    errors(keyId, limit) {
      addUp();
      const oldestAt = now() - retentionDays * DAY_MS;
      return errors.newest(keyId, limit).filter(({ at }) => at >= oldestAt);
    },

    stats: () => ({
      size: buffer.size,
      capacity: buffer.capacity,
      dropped: buffer.dropped + unrecorded,
      lastFlushAt,
      flushIntervalMs: FLUSH_INTERVAL_MS,
      retentionDays,
    }),

    flush: writes.flush,
    start: writes.start,
    stop: writes.stop,
  };
}

/** A request on its own. */
export function sumOf({ endpoint, method, status, ms, bytes, at }: RecordedRequest): UsageSum {
  return { endpoint, method, at, requests: 1, errors: status >= 400 ? 1 : 0, ms, bytes };
}

function byRequests(a: UsageRow, b: UsageRow): number {
  return b.requests - a.requests || compare(a.endpoint, b.endpoint) || compare(a.method, b.method);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
