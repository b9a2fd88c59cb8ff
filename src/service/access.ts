import type { Logger } from 'pino';
import { isLoopback, proxiesOf } from '../access/client-address.ts';
import { createGate, type Gate } from '../access/gate.ts';
import { openControlSocket } from '../access/keys/control-socket.ts';
import { runKeyCommand } from '../access/keys/key-commands.ts';
import { demoKeys, joinLookups } from '../access/keys/key-lookup.ts';
import { openKeyRegistry } from '../access/keys/key-registry.ts';
import { startQuotaPersistence } from '../access/limits/quota-persistence.ts';
import { createQuotas } from '../access/limits/quotas.ts';
import { steadyClock } from '../access/limits/steady-clock.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import { controlSocketPathOf } from '../store/socket-path.ts';
import type { Store } from '../store/store.ts';
import type { Shutdown } from './shutdown.ts';

export interface AccessDeps {
  readonly config: Pick<Config, 'data' | 'host' | 'trustedProxies'>;
  readonly store: Pick<Store, 'keys' | 'hours'>;
  readonly clock: Clock;
  /** Whether the world is made up. */
  readonly isMadeUp: boolean;
  readonly log: Logger;
}

export interface OpenAccess {
  readonly gate: Gate;
  /** Whether the demo keys work. */
  readonly isDemo: boolean;
}

/** Keys and counts of the store, the gate that asks them, and the desk where keys are managed. */
export async function openAccess(deps: AccessDeps, closing: Shutdown): Promise<OpenAccess> {
  const { config, store, clock, isMadeUp, log } = deps;
  const now = steadyClock(clock);
  const book = openKeyRegistry(store.keys, clock.wall);
  const quotas = createQuotas();
  const keeping = startQuotaPersistence({
    quotas,
    hours: store.hours,
    keys: book,
    now,
    report: (error) => log.error({ err: error }, 'the hourly counts could not be stored, trying again'),
  });
  closing.add(() => keeping.stop());
  const desk = await openControlSocket(
    controlSocketPathOf(config.data),
    (order) => runKeyCommand(book, order),
    (error) => log.error({ err: error }, 'an order to the engine failed'),
  );
  closing.add(() => desk.close());

  // Behind a proxy the loopback address is everyone's.
  const isDemo = isMadeUp && isLoopback(config.host) && config.trustedProxies.length === 0;
  if (isMadeUp && !isDemo) {
    log.warn(
      { host: config.host },
      'the demo keys are off, as others than this machine may reach the engine; make keys with `tallywire keys create`',
    );
  }
  const keys = isDemo ? joinLookups(demoKeys(), book) : book;
  return { gate: createGate({ keys, now, quotas, proxies: proxiesOf(config.trustedProxies) }), isDemo };
}
