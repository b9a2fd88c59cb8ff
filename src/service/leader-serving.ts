import { engineUnavailable } from '../access/engine-unavailable.ts';
import type { AlertTimes } from '../alerts/alerts.ts';
import type { Bus } from '../bus/bus.ts';
import { realTime } from '../bus/time.ts';
import { answerCommands } from '../cluster/commands/answer-commands.ts';
import { keepsCallers } from '../cluster/commands/callers-shard.ts';
import type { LedCallers } from '../cluster/commands/lead-callers.ts';
import { createRemoteRules } from '../cluster/commands/remote-rules.ts';
import type { LeaderPublishing } from '../cluster/engine/publish.ts';
import type { ClusterConfig } from '../config/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import type { TimeDoubt } from '../resilience/held-time.ts';
import type { Forward } from '../server/forwarded.ts';
import { openEdgeAccess } from './edge-access.ts';
import { type LeaderAccessDeps, openLeaderAccess } from './leader-access.ts';
import { leadAlerts } from './leader-alerts.ts';
import type { Machine } from './machine.ts';
import { type ServerParts, startServer } from './server.ts';
import type { Shutdown } from './shutdown.ts';
import { timeFault } from './time.ts';

export interface LeaderServingParts
  extends Pick<
    ServerParts,
    | 'config'
    | 'store'
    | 'latest'
    | 'clock'
    | 'positions'
    | 'metrics'
    | 'repairedAt'
    | 'marketPages'
    | 'demoWallet'
    | 'broken'
    | 'log'
  > {
  readonly machine: Machine;
  readonly doubt: () => TimeDoubt | undefined;
  /** The time that callers live by, however fast the world is. */
  readonly callers: Pick<LeaderAccessDeps, 'clock' | 'agreedNow'>;
  readonly standIn: LeaderAccessDeps['standIn'];
  readonly alertTimes?: Partial<AlertTimes> | undefined;
}

interface Leading {
  readonly cluster: ClusterConfig;
  readonly bus: Bus;
  readonly engine: Engine;
  readonly publishing: LeaderPublishing;
  /** Whether the lease is held now. */
  readonly isHeld: () => boolean;
  readonly port: number;
  /** Closes what listens on the port so far. */
  readonly freePort: () => Promise<void>;
  /** Gives up waiting for the shard that keeps callers. */
  readonly signal: AbortSignal;
}

/** Serves edges and the leader's own readers. Resolves to what it keeps of callers, if its shard does. */
export async function serveAsLeader(
  { cluster, bus, engine, publishing, isHeld, port, freePort, signal }: Leading,
  parts: LeaderServingParts,
  shutdown: Shutdown,
): Promise<LedCallers | undefined> {
  const { store, log } = parts;
  const { shard } = cluster;
  const { accounts } = parts.config;
  const isKeeping = await keepsCallers(bus.shared('callers'), shard, cluster.callersShard);
  const led = isKeeping
    ? await openLeaderAccess({ ...parts, ...parts.callers, bus, ...publishing.access }, shutdown)
    : undefined;
  const alerts = leadAlerts(
    { ...parts, clock: parts.callers.clock, publishing, isHeld, times: parts.alertTimes },
    shutdown,
  );
  let answerForwarded: Forward | undefined;
  const stopAnswering = answerCommands({
    bus,
    shard,
    time: realTime,
    now: parts.callers.clock.wall,
    answer: async (path, call, tier) => {
      if (answerForwarded === undefined) throw engineUnavailable();
      return answerForwarded(path, call, tier);
    },
    callers: led,
    alerts,
  });
  shutdown.add(async () => stopAnswering());

  // Its own readers are those of an edge, whose callers are counted with all others.
  const { gate, callers, tierOf, isDemo } = await openEdgeAccess(
    {
      config: parts.config,
      bus,
      clock: parts.callers.clock,
      newId: parts.machine.newId,
      isStandIn: parts.standIn.isStandIn,
      log,
      signal,
    },
    shutdown,
  );
  const forwardUsage: Forward = (path, call, tier) => callers.forward(callers.shard, path, call, tier);
  await freePort();
  const server = await startServer(
    {
      ...parts,
      engine: Promise.resolve(engine),
      gate,
      isDemo,
      clockFault: (logAheadMs) => timeFault(parts.doubt(), logAheadMs),
      payments: callers.payments,
      recorder: callers.recorder,
      usage: led?.tracking ?? NO_USAGE,
      waitlist: callers.waitlist,
      openAlerts: () => alerts.open(tierOf),
      rules: createRemoteRules({
        ask: callers.ask,
        newId: parts.machine.newId,
        shards: [shard],
        accounts,
        shardOf: (segment) => (accounts.some((each) => each.segment === segment) ? shard : undefined),
      }),
      cluster: {
        port,
        epoch: bus.epoch,
        share: publishing.share,
        frames: publishing.frames(store.feed),
        heldMs: publishing.heldMs,
        forwardUsage: led === undefined ? forwardUsage : undefined,
      },
    },
    shutdown,
  );
  await server.whole;
  answerForwarded = server.answerForwarded;
  return led;
}

/** The engine of another shard answers for it. */
const NO_USAGE = { sum: answeredElsewhere, errors: answeredElsewhere, stats: answeredElsewhere };

function answeredElsewhere(): never {
  throw new TypeError('usage is kept by the engine of another shard');
}
