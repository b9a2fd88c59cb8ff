import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '../bus/bus.ts';
import { BusError } from '../bus/bus-error.ts';
import { realTime } from '../bus/time.ts';
import { type EdgeShards, type FollowedShard, openEdgeShards } from '../cluster/edge/edge-shards.ts';
import { joinShards } from '../cluster/edge/joined-shards.ts';
import { tellOfEdge } from '../cluster/edge/members.ts';
import type { ClusterConfig } from '../config/cluster.ts';
import type { Config } from '../config/config.ts';
import { type Clock, systemClock } from '../engine/clock.ts';
import { createHttpServer, httpLimits } from '../server/http.ts';
import { createStartingApp } from '../server/starting-app.ts';
import { EDGE_COPIES } from '../store/store.ts';
import { type ClusterMachine, thisClusterMachine } from './cluster-machine.ts';
import { type EdgeAccess, openEdgeAccess } from './edge-access.ts';
import { type EdgeServing, serveShards } from './edge-serving.ts';
import { lockData } from './lock-data.ts';
import type { Logger } from './logger.ts';
import { type Machine, thisMachine } from './machine.ts';
import { memberName } from './member-name.ts';
import { checkPorts, drainTimes } from './ports.ts';
import type { Service } from './service.ts';
import { createShutdown, openWithShutdown, type Shutdown } from './shutdown.ts';

const RETRY_MS = 1_000;
/** For so long after a start the shards that are registered are waited for; then those that are there are served. */
const WAIT_FOR_ALL_MS = 5_000;

interface EdgeConfig extends Config {
  readonly cluster: ClusterConfig;
}

interface EdgeOptions {
  readonly clock?: Clock;
  readonly machine?: Machine;
  readonly clusterMachine?: ClusterMachine;
  /** Of the program. */
  readonly version?: string;
}

/** Serves what the engines on a bus make, and holds no truth of its own: its data folder can be removed at any time. */
export async function openEdge(config: EdgeConfig, log: Logger, options: EdgeOptions = {}): Promise<Service> {
  return openWithShutdown(log, (shutdown) => open(config, log, options, shutdown));
}

async function open(
  config: EdgeConfig,
  log: Logger,
  options: EdgeOptions,
  shutdown: Shutdown,
): Promise<Service> {
  const { clock = systemClock, version = 'unknown' } = options;
  const { machine = thisMachine, clusterMachine = thisClusterMachine } = options;
  const { newId, listen } = machine;
  const openBus = () => openBusOrWait(config.cluster, clusterMachine, log);
  await checkPorts(config, machine);
  // Connected first, so that a wrong address or missing rights leave the data folder untouched.
  const first = await openBus();
  await lockData(config.data, log, shutdown, machine).catch(async (error: unknown) => {
    await first?.close();
    throw error;
  });

  const stopping = new AbortController();
  const { signal } = stopping;
  let serving: EdgeServing | undefined;
  let reason = 'no engine has begun a cluster on this bus yet';
  const startingApp = createStartingApp(() => reason);
  let isDraining = false;

  const limits = httpLimits(config);
  const app = {
    callback: () => (req: IncomingMessage, res: ServerResponse) =>
      serving === undefined ? startingApp(req, res) : serving.handle(req, res),
    beginDrain() {
      isDraining = true;
      serving?.beginDrain();
    },
    close: () => undefined,
  };
  const http = createHttpServer(app, limits, () => serving?.feed, listen);
  const operator =
    config.metrics &&
    createHttpServer(
      {
        callback: () => (req: IncomingMessage, res: ServerResponse) =>
          serving === undefined ? startingApp(req, res) : serving.handleOperator(req, res),
        beginDrain: () => undefined,
        close: () => undefined,
      },
      limits,
      undefined,
      listen,
    );

  /** Follows one cluster for as long as it is there. */
  async function runSession(bus: Bus): Promise<void> {
    const session = new AbortController();
    const within = AbortSignal.any([signal, session.signal]);
    const report = (error: unknown) => log.warn({ err: error }, 'trouble with the bus');
    let access: EdgeAccess | undefined;
    const closing = createShutdown();
    const openedAt = realTime.mono();
    let served: readonly FollowedShard[] = [];

    async function rebuild(shards: EdgeShards): Promise<void> {
      const [head, ...rest] = shards.list();
      const waiting = shards.waiting();
      const isEarly = serving === undefined && realTime.mono() - openedAt < WAIT_FOR_ALL_MS;
      if (waiting.size > 0) reason = Array.from(waiting, ([name, why]) => `shard ${name}: ${why}`).join('; ');
      if (access === undefined || head === undefined || (waiting.size > 0 && isEarly) || isDraining) return;
      const now = [head, ...rest];
      if (now.length === served.length && now.every((shard, index) => isSameShard(shard, served[index])))
        return;
      served = now;
      const joined = joinShards([head, ...rest], bus.epoch, (account, shard) =>
        log.error(
          { account: account.segment, shard },
          'two shards have the same account: only one is served',
        ),
      );
      const before = serving;
      serving = serveShards({ config, log, clock, bus, access, joined, shards, newId, http });
      log.info({ accounts: joined.accounts.map(({ segment }) => segment) }, 'serving');
      await before?.close();
    }

    const shards = openEdgeShards({
      bus,
      folder: join(config.data, EDGE_COPIES),
      disk: clusterMachine.cacheDisk,
      newId,
      time: realTime,
      onChange: () => rebuild(shards),
      report,
    });
    const member = memberName('edge', config.data);
    const telling = tellOfEdge(
      {
        bus,
        member,
        host: hostname(),
        version,
        shards,
        time: realTime,
        now: clock.wall,
        report,
      },
      within,
    );
    const waitingTold = tellWaiting(shards, within);
    try {
      // The world is that of the engines. One that is given by its address is a stand-in.
      const isStandIn = config.world.type === 'remote';
      access = await Promise.race([
        openEdgeAccess({ config, bus, clock, newId, isStandIn, log, signal: within }, closing),
        shards.ended.then(() => undefined),
      ]);
      await rebuild(shards);
      const lateRebuild = setTimeout(() => void rebuild(shards).catch(report), WAIT_FOR_ALL_MS + 100);
      await Promise.race([shards.ended, aborted(within)]);
      clearTimeout(lateRebuild);
    } finally {
      session.abort();
      await waitingTold;
      // What it reads from is closed below.
      const ended = serving;
      serving = undefined;
      reason = 'the cluster is there no more, and is joined anew';
      await ended?.close();
      await closing.run().catch(report);
      await shards.stop();
      await telling;
      if (signal.aborted) {
        await bus
          .shared('members')
          .remove(member)
          .catch(() => undefined);
      }
      await bus.close();
    }
  }

  async function tellWaiting(shards: EdgeShards, within: AbortSignal): Promise<void> {
    let last = '';
    while (!within.aborted) {
      const waiting = Array.from(shards.waiting(), ([name, why]) => `shard ${name}: ${why}`).join('; ');
      if (waiting !== '' && waiting !== last) log.warn({ waiting }, 'waiting for a shard');
      last = waiting;
      await realTime.pause(RETRY_MS, within);
    }
  }

  async function run(): Promise<void> {
    let bus = first;
    while (!signal.aborted) {
      try {
        bus ??= await openBus();
        if (bus !== undefined) await runSession(bus);
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, 'the cluster is there no more, joining it anew');
      }
      bus = undefined;
      await realTime.pause(RETRY_MS, signal);
    }
  }

  const running = run();
  shutdown.add(async () => {
    stopping.abort();
    await running;
  });
  if (operator && config.metrics) {
    await operator.listen(config.metrics.port, config.metrics.host);
    shutdown.add(() => operator.drain({ noticeMs: 0, deadlineMs: 0 }));
  }
  const url = await http.listen(config.port, config.host);
  shutdown.add(() => http.drain(drainTimes(config)));
  log.info({ url, bus: config.cluster.servers, data: config.data }, 'listening');
  return {
    url,
    banner: { world: config.cluster.servers, data: config.data, accounts: [], isDemo: false },
    // The engines read it.
    historyPercent: () => 100,
    watchPosts: () => () => undefined,
    damaged: new Promise(() => undefined),
    over: new Promise(() => undefined),
    stop: shutdown.run,
  };
}

function isSameShard(shard: FollowedShard, other: FollowedShard | undefined): boolean {
  return shard.cache === other?.cache && shard.registration === other.registration;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Undefined while no engine has begun a cluster. */
async function openBusOrWait(
  cluster: ClusterConfig,
  { openBus }: ClusterMachine,
  log: Logger,
): Promise<Bus | undefined> {
  try {
    return await openBus({
      servers: cluster.servers,
      env: cluster.credentials,
      name: `tallywire edge ${hostname()}`,
      role: { type: 'edge' },
      report: (error) => log.warn({ err: error }, 'trouble with the bus'),
    });
  } catch (error) {
    if (!(error instanceof BusError) || error.code !== 'BUS_EMPTY') throw error;
    log.warn({ code: error.code }, error.message);
    return undefined;
  }
}
