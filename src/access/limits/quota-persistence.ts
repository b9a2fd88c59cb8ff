import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { createPeriodicWrite } from '../../resilience/periodic-write.ts';
import type { CallBatch, CallerCalls, CallLog } from '../../store/store.ts';
import type { KeyRegistry } from '../keys/key-registry.ts';
import type { Quotas } from './quotas.ts';

interface QuotaPersistenceDeps {
  readonly quotas: Quotas;
  readonly calls: CallLog;
  /** Their times of last use are stored too. */
  readonly keys: Pick<KeyRegistry, 'flush'>;
  /** The time calls are counted by, UTC ms: it goes on evenly, whatever the system clock is set to. */
  readonly now: () => number;
  /** The system clock, UTC ms. Calls are stored by it, as the other begins anew with each process. */
  readonly wall: () => number;
  /** Ms since the machine was started, its sleep included. Nobody can set it. */
  readonly sinceBoot: () => number;
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
/** The system clock was set when it has moved by more than this against the even one. */
const MOST_DRIFT_MS = 100;

/** Restores the calls that were counted before the start, and stores what changes until it is stopped. */
export function startQuotaPersistence(deps: QuotaPersistenceDeps): QuotaPersistence {
  const { quotas, calls, keys, wall, sinceBoot, report } = deps;
  const now = () => Math.floor(deps.now());
  const offsetNow = () => Math.round(wall() - deps.now());
  /** How far the times on disk are ahead of those in memory. */
  let offsetMs = offsetNow();
  const stored = calls.all();
  const newest = stored.reduce<CallBatch | undefined>(
    (found, each) => (found === undefined || each.at > found.at ? each : found),
    undefined,
  );
  // Moved together, calls keep their distances.
  const movedMs = newest === undefined ? -offsetMs : now() - leastAgeMs(newest) - newest.at;
  quotas.restore(
    stored.flatMap(({ callers }) => callers.map((each) => moved(each, movedMs))),
    now(),
  );
  /** Whether what is stored does not continue in what will be counted. */
  let isBroken = movedMs !== -offsetMs;
  let usedFlushedAt = now();

  /**
   * The calendar may have been set while nothing ran, or not have been believed before. What has passed since boot has
   * passed in any case: all of it, or what has passed since a later boot, and more. Where both agree the calendar is taken,
   * as calls are stored by it to the millisecond.
   */
  function leastAgeMs({ at, sinceBoot: storedBoot }: CallBatch): number {
    const calendarMs = Math.max(0, now() + offsetMs - at);
    if (storedBoot === null) return calendarMs;
    const bootMs = Math.floor(sinceBoot()) - storedBoot;
    return bootMs < 0 || Math.abs(calendarMs - bootMs) <= MOST_DRIFT_MS ? calendarMs : bootMs;
  }

  async function writeCalls(): Promise<void> {
    if (Math.abs(offsetNow() - offsetMs) > MOST_DRIFT_MS) {
      offsetMs = offsetNow();
      isBroken = true;
    }
    const changes = quotas.changes(now());
    const batchOf = (callers: readonly CallerCalls[]) => ({
      at: now() + offsetMs,
      sinceBoot: Math.ceil(sinceBoot()),
      callers: callers.map((each) => moved(each, offsetMs)),
    });
    if (isBroken) await calls.replace(batchOf(quotas.all(now())));
    else if (changes.length > 0) await calls.append(batchOf(changes), now() + offsetMs - HOUR_MS);
    isBroken = false;
  }

  async function write(isLast: boolean): Promise<void> {
    try {
      await writeCalls();
    } catch (error) {
      isBroken = true;
      throw error;
    }
    if (!isLast && now() - usedFlushedAt < LAST_USED_MS) return;
    usedFlushedAt = now();
    await keys.flush();
  }

  const writes = createPeriodicWrite({ everyMs: FLUSH_MS, write, report });
  writes.start();
  return writes;
}

function moved({ caller, calls }: CallerCalls, ms: number): CallerCalls {
  return { caller, calls: calls.map(([at, count]) => [at + ms, count] as const) };
}
