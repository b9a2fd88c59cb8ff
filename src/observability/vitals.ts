import type { AccountPath } from '../views/account-path.ts';
import { agesNow } from '../views/as-of.ts';
import type { Latest } from '../views/latest.ts';
import { type HealthStatus, hasSnapshot, healthOf, type StoreState } from './health.ts';

/** Serving starts after this long even when an account has nothing to show yet. */
const READY_ANYWAY_AFTER_MS = 10_000;

export interface Vitals {
  health(): HealthStatus;
  isReady(): boolean;
  isDraining(): boolean;
  /** From now on not ready and unavailable, for good. */
  beginDrain(): void;
}

export interface VitalsDeps {
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
  readonly store: () => StoreState;
  readonly now: () => number;
}

/** How the process does, read afresh at each question. */
export function createVitals({ latest, accounts, store, now }: VitalsDeps): Vitals {
  const ids = accounts.map(({ id }) => id);
  const startedAt = now();
  let isDraining = false;
  return {
    health: () =>
      healthOf({
        accounts: ids,
        ages: agesNow(latest, now()),
        hasSnapshot: ids.some((id) => hasSnapshot(latest, id)),
        isDraining,
        store: store(),
        failedActors: Array.from(latest.all('failures')).length,
      }),
    isReady: () =>
      !isDraining &&
      store() !== 'closed' &&
      (now() - startedAt >= READY_ANYWAY_AFTER_MS || ids.every((id) => hasSnapshot(latest, id))),
    isDraining: () => isDraining,
    beginDrain() {
      isDraining = true;
    },
  };
}
