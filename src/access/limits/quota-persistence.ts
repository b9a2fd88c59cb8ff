import { createPeriodicWrite } from '../../resilience/periodic-write.ts';
import type { CallCounts } from '../../store/store.ts';
import type { KeyRegistry } from '../keys/key-registry.ts';
import type { Quotas } from './quotas.ts';
import { minuteOf } from './sliding-hour.ts';

export interface QuotaPersistenceDeps {
  readonly quotas: Quotas;
  readonly hours: CallCounts;
  readonly book: Pick<KeyRegistry, 'flush'>;
  /** The time calls are counted by, UTC ms. */
  readonly now: () => number;
  /** Told when a write fails, once until one succeeds. It is tried again. */
  readonly report: (error: unknown) => void;
}

export interface QuotaPersistence {
  /** Stores what changed. Never rejects. */
  flush(): Promise<void>;
  /** Stores what changed a last time. */
  stop(): Promise<void>;
}

/** What a killed process forgets of the calls it counted. */
const FLUSH_MS = 1_000;
/** How late the time of a key's last use may be on disk. */
const LAST_USED_MS = 60_000;

/** Takes up the calls counted before the start, and stores what changes from now on until it is stopped. */
export function startQuotaPersistence({
  quotas,
  hours,
  book,
  now,
  report,
}: QuotaPersistenceDeps): QuotaPersistence {
  quotas.restore(hours.all(), minuteOf(now()));
  let usedFlushedAt = now();

  async function write(isLast: boolean): Promise<void> {
    const changes = quotas.changes(minuteOf(now()));
    try {
      await hours.write(changes.hours, changes.gone);
      if (isLast || now() - usedFlushedAt >= LAST_USED_MS) {
        usedFlushedAt = now();
        await book.flush();
      }
    } catch (error) {
      quotas.keepDirty(changes);
      throw error;
    }
  }

  const writes = createPeriodicWrite({ everyMs: FLUSH_MS, write, report });
  writes.start();
  return writes;
}

/** The calendar's time at the start, and from then on what has passed: set right or wrong, it does not jump. */
export function steadyClock(clock: {
  readonly wall: () => number;
  readonly mono: () => number;
}): () => number {
  const offsetMs = clock.wall() - clock.mono();
  return () => offsetMs + clock.mono();
}
