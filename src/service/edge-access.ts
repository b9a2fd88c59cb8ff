import { hostname } from 'node:os';
import { createGateWith, type Gate } from '../access/gate.ts';
import type { KnownKeys } from '../access/keys/key-lookup.ts';
import { steadyClock } from '../access/limits/steady-clock.ts';
import type { Bus } from '../bus/bus.ts';
import { realTime } from '../bus/time.ts';
import { type EdgeCallers, openEdgeCallers } from '../cluster/commands/edge-callers.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import { admitsDemoKeys, gatePartsOf, withDemoKeys } from './access.ts';
import type { Logger } from './logger.ts';
import type { Machine } from './machine.ts';
import type { Shutdown } from './shutdown.ts';

interface EdgeAccessDeps {
  readonly config: Pick<Config, 'host' | 'trustedProxies' | 'trafficPerMinute'>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly newId: Machine['newId'];
  /** Whether the world is a stand-in, where demo keys do no harm. */
  readonly isStandIn: boolean;
  readonly log: Logger;
  /** Gives up waiting for a shard that keeps callers. */
  readonly signal: AbortSignal;
}

export interface EdgeAccess {
  readonly gate: Gate;
  readonly callers: EdgeCallers;
  /** The tier of a key that is not revoked. */
  readonly tierOf: KnownKeys['tierOf'];
  /** Whether the demo keys work. */
  readonly isDemo: boolean;
}

/** Opens the gate of a process whose callers are kept by the leading engine of a shard. */
export async function openEdgeAccess(deps: EdgeAccessDeps, shutdown: Shutdown): Promise<EdgeAccess> {
  const { config, bus, clock, newId, log, signal } = deps;
  const callers = await openEdgeCallers({
    bus,
    edge: `${hostname()}-${newId()}`,
    time: realTime,
    wall: clock.wall,
    newId,
    report: (error) => log.warn({ err: error }, 'the leading engine could not be asked'),
    signal,
  });
  shutdown.add(() => callers.close());
  const isDemo = admitsDemoKeys(deps);
  const keys = withDemoKeys(callers.keys, isDemo);
  const gate = createGateWith(callers.counting, { ...gatePartsOf(config), keys, now: steadyClock(clock) });
  return { gate, callers, tierOf: keys.tierOf, isDemo };
}
