import { mintId } from '../access/keys/key-text.ts';
import type { Tier } from '../access/tiers.ts';
import { includes } from '../access/tiers.ts';
import { type Alerts, type AlertTimes, openAlerts } from '../alerts/alerts.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Outputs, StoredAlerts } from '../store/store.ts';
import type { Latest } from '../views/latest.ts';
import type { Logger } from './logger.ts';
import type { Machine } from './machine.ts';
import type { Shutdown } from './shutdown.ts';

interface ConfiguredAlerts {
  readonly config: Config;
  readonly stored: StoredAlerts;
  readonly outputs: Outputs;
  readonly latest: Latest;
  /** Of callers and receivers, however fast the world is. */
  readonly clock: Clock;
  readonly machine: Machine;
  /** The tier of a key that is not revoked. */
  readonly tierOf: (keyId: string) => Tier | undefined;
  /** Whether alerts may be sent now; always unless given. */
  readonly mayDeliver?: (() => boolean) | undefined;
  readonly metrics: Metrics;
  readonly times?: Partial<AlertTimes> | undefined;
  readonly broken?: ((error: unknown) => void) | undefined;
  readonly log: Logger;
}

/** Opens alerts as configured, once the engine is open. */
export async function openConfiguredAlerts(parts: ConfiguredAlerts, shutdown: Shutdown): Promise<Alerts> {
  const { config, clock, machine, tierOf, metrics, log } = parts;
  const alerts = await openAlerts({
    ...parts,
    accounts: config.accounts,
    configured: config.alerts.rules,
    allowsPrivate: config.alerts.toPrivate,
    isAdmitted: (keyId) => {
      const tier = tierOf(keyId);
      return tier !== undefined && includes(tier, 'PRO');
    },
    now: clock.wall,
    mono: clock.mono,
    random: machine.random,
    newId: mintId,
    told: metrics.alertTold,
    report: (error) => log.error({ err: error }, 'alerts could not be stored, trying again'),
  });
  shutdown.add(() => alerts.stop());
  return alerts;
}
