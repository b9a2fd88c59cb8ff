import { isLoopback, proxiesOf } from '../access/client-address.ts';
import { createGate, createShares, type Gate } from '../access/gate.ts';
import { openControlSocket } from '../access/keys/control-socket.ts';
import { runKeyCommand } from '../access/keys/key-commands.ts';
import { demoKeys, joinLookups, type KnownKeys } from '../access/keys/key-lookup.ts';
import { openKeyRegistry } from '../access/keys/key-registry.ts';
import { startQuotaPersistence } from '../access/limits/quota-persistence.ts';
import { createQuotas } from '../access/limits/quotas.ts';
import { steadyClock } from '../access/limits/steady-clock.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import { CONTROL_SOCKET, openSocketFolder } from '../store/socket-folder.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from './logger.ts';
import type { Shutdown } from './shutdown.ts';

export interface AccessDeps {
  readonly config: Pick<Config, 'data' | 'host' | 'trustedProxies' | 'trafficPerMinute'>;
  readonly store: Pick<Store, 'keys' | 'calls'>;
  readonly clock: Clock;
  /** Whether the world is a stand-in, where demo keys do no harm. */
  readonly isStandIn: boolean;
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
  const { config, store, clock, isStandIn, log } = deps;
  const now = steadyClock(clock);
  const registry = openKeyRegistry(store.keys, clock.wall);
  const quotas = createQuotas();
  const persistence = startQuotaPersistence({
    quotas,
    calls: store.calls,
    keys: registry,
    now,
    wall: clock.wall,
    report: (error) => log.error({ err: error }, 'the hourly counts could not be stored, trying again'),
  });
  shutdown.add(() => persistence.stop());
  const sockets = openSocketFolder(config.data);
  shutdown.add(async () => sockets.close());
  const controlSocket = await openControlSocket(
    sockets.pathOf(CONTROL_SOCKET),
    (command) => runKeyCommand(registry, command),
    (error) => log.error({ err: error }, 'a command to the engine failed'),
  );
  shutdown.add(() => controlSocket.close());

  // Behind a proxy every caller comes from the loopback address.
  const isDemo = isStandIn && isLoopback(config.host) && config.trustedProxies.length === 0;
  if (isStandIn && !isDemo) {
    log.warn(
      { host: config.host },
      'the demo keys are off, as other machines may reach the engine; make keys with `tallywire keys create`',
    );
  }
  const demo = isDemo ? demoKeys() : undefined;
  const keys = demo ? joinLookups(demo, registry) : registry;
  const gate = createGate({
    keys,
    now,
    quotas,
    proxies: proxiesOf(config.trustedProxies),
    shares: config.trafficPerMinute === null ? undefined : createShares(config.trafficPerMinute),
  });
  return { gate, tierOf: (id) => demo?.tierOf(id) ?? registry.tierOf(id), isDemo };
}
