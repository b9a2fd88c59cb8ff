import type { Bus, Place } from '../bus/bus.ts';
import { realTime } from '../bus/time.ts';
import type { AccessStore } from '../cluster/access/apply-change.ts';
import { type LedCallers, leadCallers } from '../cluster/commands/lead-callers.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { Metrics } from '../observability/metrics.ts';
import { admitsDemoKeys, withDemoKeys } from './access.ts';
import type { Logger } from './logger.ts';
import { openPayments } from './payments.ts';
import type { Shutdown } from './shutdown.ts';
import { startUsage } from './usage.ts';

export interface LeaderAccessDeps {
  readonly config: Config;
  readonly bus: Bus;
  readonly store: AccessStore;
  /** Appends an entry of the kind `access` in the leader's term. */
  readonly append: (bytes: Uint8Array) => Promise<Place>;
  /** Told that the entry at a place is in the store. */
  readonly applied: (place: Place) => void;
  readonly clock: Clock;
  readonly agreedNow: () => number | undefined;
  /** The facilitator and the chain of a stand-in world; neither in the live one. */
  readonly standIn: { readonly isStandIn: boolean; readonly facilitator?: string; readonly chain?: string };
  readonly metrics: Metrics;
  /** Called when what is kept of callers cannot be changed any more, and only a restart recovers. */
  readonly broken?: ((error: unknown) => void) | undefined;
  readonly log: Logger;
}

/** Opens what the leader of the shard that keeps callers keeps of them, as configured. */
export async function openLeaderAccess(deps: LeaderAccessDeps, shutdown: Shutdown): Promise<LedCallers> {
  const { config, bus, store, append, applied, clock, log } = deps;
  const isDemo = admitsDemoKeys({ ...deps, isStandIn: deps.standIn.isStandIn });
  const callers = await leadCallers({
    bus,
    store,
    append,
    applied,
    time: realTime,
    clock,
    openPayments: (payments) => openPayments({ ...deps, store: { payments } }),
    openUsage: (usage, tierOf) =>
      startUsage({ ...deps, store: usage }, withDemoKeys({ find: () => undefined, tierOf }, isDemo).tierOf),
    report: (error) => log.error({ err: error }, 'what is kept of callers could not be changed'),
    broken: deps.broken,
  });
  shutdown.add(() => callers.stop());
  log.info({ shard: config.cluster?.shard }, 'this engine keeps callers');
  return callers;
}
