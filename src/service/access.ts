import { isLoopback, proxiesOf } from '../access/client-address.ts';
import { createGate, createShares, type Gate } from '../access/gate.ts';
import { runKeyCommand } from '../access/keys/key-commands.ts';
import { demoKeys, joinLookups, type KnownKeys } from '../access/keys/key-lookup.ts';
import { type KeyRegistry, openKeyRegistry } from '../access/keys/key-registry.ts';
import { startQuotaPersistence } from '../access/limits/quota-persistence.ts';
import { createQuotas } from '../access/limits/quotas.ts';
import { steadyClock } from '../access/limits/steady-clock.ts';
import {
  type AlertCommand,
  type AlertCommandAnswer,
  isAlertCommand,
  runAlertCommand,
} from '../alerts/alert-commands.ts';
import type { Alerts } from '../alerts/alerts.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import { ServiceError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from './logger.ts';
import { type Machine, thisMachine } from './machine.ts';
import type { Shutdown } from './shutdown.ts';

export interface AccessDeps {
  readonly config: Pick<Config, 'data' | 'host' | 'trustedProxies' | 'trafficPerMinute'>;
  readonly store: Pick<Store, 'keys' | 'calls'>;
  readonly clock: Clock;
  /** Ms since the machine was started. */
  readonly sinceBoot: () => number;
  /** Whether the world is a stand-in, where demo keys do no harm. */
  readonly isStandIn: boolean;
  /** Undefined while they are not open. */
  readonly alerts?: () => Alerts | undefined;
  readonly machine?: Machine;
  readonly log: Logger;
}

interface OpenAccess {
  readonly gate: Gate;
  readonly tierOf: KnownKeys['tierOf'];
  /** Whether the demo keys work. */
  readonly isDemo: boolean;
}

/** Opens the gate with the stored keys and counts, and the socket for key commands. */
export async function openAccess(deps: AccessDeps, shutdown: Shutdown): Promise<OpenAccess> {
  const { config, store, clock, sinceBoot, log } = deps;
  const now = steadyClock(clock);
  const registry = openKeyRegistry(store.keys, clock.wall);
  const quotas = createQuotas();
  const persistence = startQuotaPersistence({
    quotas,
    calls: store.calls,
    keys: registry,
    now,
    wall: clock.wall,
    sinceBoot,
    report: (error) => log.error({ err: error }, 'the hourly counts could not be stored, trying again'),
  });
  shutdown.add(() => persistence.stop());
  await openKeySocket(
    deps,
    () => registry,
    shutdown,
    (command) => runAlertCommand(deps.alerts?.(), command),
  );

  const isDemo = admitsDemoKeys(deps);
  const keys = withDemoKeys(registry, isDemo);
  const gate = createGate({ ...gatePartsOf(config), keys, now, quotas });
  return { gate, tierOf: keys.tierOf, isDemo };
}

type KeySocketDeps = Pick<AccessDeps, 'machine' | 'log'> & { readonly config: Pick<Config, 'data'> };

/** Opens the socket for commands of this machine. There is no registry while the engine does not lead. */
export async function openKeySocket(
  { config, machine = thisMachine, log }: KeySocketDeps,
  registry: () => KeyRegistry | undefined,
  shutdown: Shutdown,
  runAlerts: (command: AlertCommand) => Promise<AlertCommandAnswer>,
): Promise<void> {
  const controlSocket = await machine.openControlSocket(
    config.data,
    async (command) => {
      if (isAlertCommand(command)) return runAlerts(command);
      const current = registry();
      if (current !== undefined) return runKeyCommand(current, command);
      throw new ServiceError(
        'ENGINE_NOT_LEADING',
        'keys are kept by the leading engine of the shard that keeps callers, and this is another one: ask there',
      );
    },
    (error) => log.error({ err: error }, 'a command to the engine failed'),
  );
  shutdown.add(() => controlSocket.close());
}

/** Whether the demo keys work; logs why they do not in a world where they could. */
export function admitsDemoKeys({
  config,
  isStandIn,
  log,
}: Pick<AccessDeps, 'isStandIn' | 'log'> & {
  readonly config: Pick<Config, 'host' | 'trustedProxies'>;
}): boolean {
  // Behind a proxy every caller comes from the loopback address.
  const isDemo = isStandIn && isLoopback(config.host) && config.trustedProxies.length === 0;
  if (isStandIn && !isDemo) {
    log.warn(
      { host: config.host },
      'the demo keys are off, as other machines may reach the engine; make keys with `tallywire keys create`',
    );
  }
  return isDemo;
}

export function withDemoKeys(keys: KnownKeys, isDemo: boolean): KnownKeys {
  if (!isDemo) return { find: keys.find, tierOf: keys.tierOf };
  const demo = demoKeys();
  return { ...joinLookups(demo, keys), tierOf: (id) => demo.tierOf(id) ?? keys.tierOf(id) };
}

export function gatePartsOf(config: Pick<Config, 'trustedProxies' | 'trafficPerMinute'>) {
  return {
    proxies: proxiesOf(config.trustedProxies),
    shares: config.trafficPerMinute === null ? undefined : createShares(config.trafficPerMinute),
  };
}
