import type { AccountId, SourceName } from '../../streams/internal.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { Latest } from '../views/latest.ts';
import { type Health, hasSnapshot, healthOf, type StoreState } from './health.ts';
import { createLoopDelay } from './loop-delay.ts';

/** The service is ready after this time even when an account has no data yet. */
const READY_ANYWAY_AFTER_MS = 10_000;
/** After the event loop was blocked this long, the process should be restarted. */
const DEAD_LOOP_MS = 5_000;

/** The present state of the process. */
interface Probes {
  health(): Health;
  isReady(): boolean;
  /** Does not depend on sources. */
  isLive(): boolean;
  close(): void;
}

interface ProbeDeps {
  readonly latest: Latest;
  /** Per source, ms since its last good answer. */
  readonly ages: () => Readonly<Record<SourceName, number>>;
  readonly accounts: readonly AccountPath[];
  /** Names on the wire of the sources past their limit. */
  readonly staleSources: () => readonly string[];
  /** Names on the wire of the sources that refused something lately. */
  readonly refusingSources: () => readonly string[];
  /** Whether the list of the market's events was read. */
  readonly areEventsKnown: () => boolean;
  /** How much was read of the past that an account's active events need. */
  readonly historyPercent: (account: AccountId) => number;
  /** Whether only stored values are known yet. */
  readonly isStarting: () => boolean;
  readonly store: () => StoreState;
  /** Ms for which nothing could be stored; 0 while everything is. */
  readonly writesHeldMs: () => number;
  readonly clockFault: () => string | undefined;
  readonly now: () => number;
}

export function createProbes(deps: ProbeDeps): Probes {
  const { latest, ages, accounts, store, now } = deps;
  const startedAt = now();
  const loop = createLoopDelay();
  return {
    health() {
      const percents = accounts.map(({ id, segment }) => [segment, deps.historyPercent(id)] as const);
      const clock = deps.clockFault();
      const status = healthOf({
        isClockRight: clock === undefined,
        accounts,
        ages: ages(),
        hasSnapshot: accounts.some(({ id }) => hasSnapshot(latest, id)),
        store: store(),
        uptimeMs: now() - startedAt,
        failedActors: Array.from(latest.all('failures')).length,
        areCountsKnown:
          !deps.isStarting() && deps.areEventsKnown() && percents.every(([, percent]) => percent === 100),
      });
      const heldMs = Math.round(deps.writesHeldMs());
      return {
        status,
        history_percent: Object.fromEntries(percents),
        stale: deps.staleSources(),
        refusing: deps.refusingSources(),
        ...(heldMs > 0 && { writes_held_ms: heldMs }),
        ...(clock !== undefined && { clock }),
      };
    },
    isReady: () =>
      !deps.isStarting() &&
      store() !== 'closed' &&
      (now() - startedAt >= READY_ANYWAY_AFTER_MS || accounts.every(({ id }) => hasSnapshot(latest, id))),
    isLive: () => loop.worstMs() < DEAD_LOOP_MS,
    close: loop.close,
  };
}
