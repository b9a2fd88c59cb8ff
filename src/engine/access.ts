import type { Logger } from 'pino';
import { isLoopback, proxiesOf } from '../access/addresses.ts';
import { openDesk } from '../access/desk.ts';
import { deskPathOf } from '../access/desk-path.ts';
import { createGate, type Gate } from '../access/gate.ts';
import { startKeeping, steadyClock } from '../access/keeping.ts';
import { openKeyBook } from '../access/key-book.ts';
import { serveKeyOrder } from '../access/key-orders.ts';
import { demoKeys, joinRings } from '../access/key-ring.ts';
import { createQuotas } from '../access/quotas.ts';
import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { Closing } from './closing.ts';

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
export async function openAccess(deps: AccessDeps, closing: Closing): Promise<OpenAccess> {
  const { config, store, clock, isMadeUp, log } = deps;
  const now = steadyClock(clock);
  const book = openKeyBook(store.keys, clock.wall);
  const quotas = createQuotas();
  const keeping = startKeeping({
    quotas,
    hours: store.hours,
    book,
    now,
    report: (error) => log.error({ err: error }, 'the hourly counts could not be stored, trying again'),
  });
  closing.add(() => keeping.stop());
  const desk = await openDesk(
    deskPathOf(config.data),
    (order) => serveKeyOrder(book, order),
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
  const keys = isDemo ? joinRings(demoKeys(), book) : book;
  return { gate: createGate({ keys, now, quotas, proxies: proxiesOf(config.trustedProxies) }), isDemo };
}
