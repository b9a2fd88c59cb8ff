import { MINUTE_MS } from '../../../streams/internal.ts';
import { createPeriodicWrite } from '../../resilience/periodic-write.ts';
import type { CallCounts } from '../../store/store.ts';
import type { KeyRegistry } from '../keys/key-registry.ts';
import type { Quotas } from './quotas.ts';
import { minuteOf } from './sliding-hour.ts';

interface QuotaPersistenceDeps {
  readonly quotas: Quotas;
  readonly hours: CallCounts;
  /** Their times of last use are stored too. */
  readonly keys: Pick<KeyRegistry, 'flush'>;
  /** The time calls are counted by, UTC ms. */
  readonly now: () => number;
  /** Called when a write fails, once until one succeeds. It is tried again. */
  readonly report: (error: unknown) => void;
}

interface QuotaPersistence {
  /** Stores what changed. Never rejects. */
  flush(): Promise<void>;
  /** Stores what changed one last time. */
  stop(): Promise<void>;
}

/** A killed process loses at most the calls of this span. */
const FLUSH_MS = 1_000;
/** How old the stored time of a key's last use may be. */
const LAST_USED_MS = MINUTE_MS;

/** Restores the calls that were counted before the start, and stores what changes until it is stopped. */
export function startQuotaPersistence({
  quotas,
  hours,
  keys,
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
        await keys.flush();
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
