import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { createPeriodicWrite } from '../../resilience/periodic-write.ts';
import type { UsageError, UsageRow, UsageStore } from '../../store/store.ts';
import { createUsageErrors } from './errors.ts';
import { createUsagePages } from './pages.ts';
import { createUsageBuffer, type UsageRecorder } from './recorder.ts';

const FLUSH_INTERVAL_MS = 1_000;
/** Retention is looked at this often, and then in steps of so many rows until nothing is left to drop. */
const PRUNE_INTERVAL_MS = 600_000;
const PRUNE_ROWS = 200;

/** Those without a known key share one account, which nobody can ask for over HTTP. */
const ANONYMOUS = 'anonymous';

export interface UsageDeps {
  readonly store: UsageStore;
  /** UTC ms. */
  readonly now: () => number;
  readonly retentionDays: number;
  /** Told of the first of several failures in a row. */
  readonly report: (error: unknown) => void;
  /** Requests between two flushes that are kept at most. */
  readonly capacity?: number;
}

/** Whole hours that a sum covers, in UTC ms; up to now when the last of them is not over. */
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

/** What the usage endpoints look at. All of it is up to the last request that was answered. */
export interface UsageReader {
  /** Sums per endpoint and method, busiest first, over every hour that `[fromAt, toAt)` touches. */
  sum(keyId: string, fromAt: number, toAt: number): { rows: readonly UsageRow[]; covered: Covered };
  errors(keyId: string, limit: number): readonly UsageError[];
  stats(): UsageStats;
}

export interface UsageTracking extends UsageRecorder, UsageReader {
  /** Accounts for what was recorded and writes it. Rejects never; what could not be written is tried again. */
  flush(): Promise<void>;
  /** Flushes once a second from now on. */
  start(): void;
  /** Flushes a last time. */
  stop(): Promise<void>;
}

export function createUsageTracking(deps: UsageDeps): UsageTracking {
  const { store, now, retentionDays, report, capacity } = deps;
  const buffer = createUsageBuffer(now, capacity);
  const writes = createPeriodicWrite({ everyMs: FLUSH_INTERVAL_MS, write: accountAndWrite, report });
  const pages = createUsagePages(store, writes.report);
  const errors = createUsageErrors(store);
  let unaccounted = 0;
  let lastFlushAt: number | null = null;
  let pruneAt = 0;

  function account(): void {
    buffer.drain((use) => {
      const keyId = use.keyId ?? ANONYMOUS;
      if (!pages.add(keyId, use)) unaccounted += 1;
      else if (use.status >= 400) errors.add(keyId, use);
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
    if (now() < pruneAt) return;
    const dropped = await store.prune(now() - retentionDays * DAY_MS, PRUNE_ROWS);
    if (dropped < PRUNE_ROWS) pruneAt = now() + PRUNE_INTERVAL_MS;
  }

  async function accountAndWrite(): Promise<void> {
    account();
    await write();
    lastFlushAt = now();
    await prune();
  }

  return {
    record: buffer.record,

    sum(keyId, fromAt, toAt) {
      account();
      // Nothing is kept before the first of these hours nor after the last, however much is asked for.
      const oldest = Math.floor((now() - retentionDays * DAY_MS) / HOUR_MS);
      const from = Math.max(Math.floor(fromAt / HOUR_MS), oldest);
      const last = Math.min(Math.ceil(toAt / HOUR_MS), Math.floor(now() / HOUR_MS) + 1);
      const to = toAt > fromAt ? Math.max(last, from) : from;
      const rows = [...pages.sum(keyId, from, to)].sort(byRequests);
      return { rows, covered: { fromAt: from * HOUR_MS, toAt: Math.min(to * HOUR_MS, now()) } };
    },

    errors(keyId, limit) {
      account();
      const oldestAt = now() - retentionDays * DAY_MS;
      return errors.newest(keyId, limit).filter(({ at }) => at >= oldestAt);
    },

    stats: () => ({
      size: buffer.size,
      capacity: buffer.capacity,
      dropped: buffer.dropped + unaccounted,
      lastFlushAt,
      flushIntervalMs: FLUSH_INTERVAL_MS,
      retentionDays,
    }),

    flush: writes.flush,
    start: writes.start,
    stop: writes.stop,
  };
}

function byRequests(a: UsageRow, b: UsageRow): number {
  return b.requests - a.requests || compare(a.endpoint, b.endpoint) || compare(a.method, b.method);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
