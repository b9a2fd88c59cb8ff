import type { AccountId, SourceName } from '../../streams/internal.ts';
import type { Latest } from '../views/latest.ts';
import { type HealthStatus, hasSnapshot, healthOf, type StoreState } from './health.ts';
import { createLoopDelay } from './loop-delay.ts';

/** The service is ready after this time even when an account has no data yet. */
const READY_ANYWAY_AFTER_MS = 10_000;
/** After the event loop was blocked this long, the process should be restarted. */
const DEAD_LOOP_MS = 5_000;

/** The present state of the process. */
interface Probes {
  health(): HealthStatus;
  isReady(): boolean;
  /** Does not depend on sources. */
  isLive(): boolean;
  close(): void;
}

interface ProbeDeps {
  readonly latest: Latest;
  /** Per source, ms since its last good answer. */
  readonly ages: () => Readonly<Record<SourceName, number>>;
  readonly accounts: readonly AccountId[];
  readonly postsStaleAfterMs: number;
  readonly store: () => StoreState;
  readonly now: () => number;
}

export function createProbes({ latest, ages, accounts, postsStaleAfterMs, store, now }: ProbeDeps): Probes {
  const startedAt = now();
  const loop = createLoopDelay();
  return {
    health: () =>
      healthOf({
        accounts,
        ages: ages(),
        postsStaleAfterMs,
        hasSnapshot: accounts.some((id) => hasSnapshot(latest, id)),
        store: store(),
        failedActors: Array.from(latest.all('failures')).length,
      }),
    isReady: () =>
      store() !== 'closed' &&
      (now() - startedAt >= READY_ANYWAY_AFTER_MS || accounts.every((id) => hasSnapshot(latest, id))),
    isLive: () => loop.worstMs() < DEAD_LOOP_MS,
    close: loop.close,
  };
}
