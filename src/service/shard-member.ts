import { hostname } from 'node:os';
import { checkConfigured } from '../alerts/alerts.ts';
import type { Bus } from '../bus/bus.ts';
import { realTime } from '../bus/time.ts';
import { createAskEngine } from '../cluster/commands/ask-engine.ts';
import type { LedCallers } from '../cluster/commands/lead-callers.ts';
import {
  type ClusterNews,
  joinShard,
  type Leadership,
  type Membership,
} from '../cluster/engine/join-shard.ts';
import { checkRegistration, registerShard } from '../cluster/engine/register-shard.ts';
import { startSnapshots } from '../cluster/engine/snapshots.ts';
import type { ClusterConfig } from '../config/cluster.ts';
import type { Config } from '../config/config.ts';
import type { ServiceError } from '../errors.ts';
import { createHttpServer, httpLimits } from '../server/http.ts';
import { createOperatorApp } from '../server/operator-app.ts';
import { createStandbyApp } from '../server/standby-app.ts';
import { openKeySocket } from './access.ts';
import { type ClusterMachine, thisClusterMachine } from './cluster-machine.ts';
import { type EngineParts, standByEngine } from './engine.ts';
import { type LeaderServingParts, serveAsLeader } from './leader-serving.ts';
import type { Logger } from './logger.ts';
import type { Machine } from './machine.ts';
import { memberName } from './member-name.ts';
import { runOnLeader } from './remote-alert-commands.ts';
import type { Served } from './server.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';

/** After the time for proxies, what is being appended to the bus at a stop may take this long. */
const LAST_APPEND_MS = 5_000;

interface MemberParts extends EngineParts, Omit<LeaderServingParts, keyof EngineParts> {
  readonly config: Config;
  readonly machine: Machine;
  /** Of the program. */
  readonly version: string;
}

interface Member extends Served {
  readonly over: Promise<ServiceError>;
}

interface OpenShard {
  /** To be called when the store is closed, and before another process may use the folder. */
  readonly afterClose: () => Promise<void>;
  /** Stands by until no other engine leads; then leads, and serves readers. */
  join(parts: MemberParts, shutdown: Shutdown): Promise<Member>;
}

/** Joins the bus, and changes nothing there or in the data folder that another engine would notice. */
export async function openShard(
  cluster: ClusterConfig,
  config: Config,
  log: Logger,
  shutdown: Shutdown,
  machine: ClusterMachine = thisClusterMachine,
): Promise<OpenShard> {
  const name = memberName('engine', config.data);
  const bus = await machine.openBus({
    servers: cluster.servers,
    env: cluster.credentials,
    name,
    role: { type: 'engine', replicas: cluster.replicas },
    report: (error) => log.warn({ err: error }, 'the bus is tried again'),
  });
  shutdown.add(() => bus.close());
  await checkRegistration(bus, cluster.shard, config.accounts);
  let end: ServiceError | undefined;
  return {
    async afterClose() {
      if (end?.code !== 'CLUSTER_DIVERGED') return;
      const kept = await machine.setStoreAside(config.data);
      log.error({ data: config.data, kept }, 'the store was set aside, as its log is not that of the shard');
    },
    async join(parts, closing) {
      const member = await join({ cluster, bus, name, machine }, parts, closing);
      void member.over.then((error) => {
        end = error;
        log.error({ err: error }, 'this engine ends');
      });
      return member;
    },
  };
}

interface Joining {
  readonly cluster: ClusterConfig;
  readonly bus: Bus;
  /** Of this member. */
  readonly name: string;
  readonly machine: ClusterMachine;
}

async function join(
  { cluster, bus, name, machine }: Joining,
  parts: MemberParts,
  shutdown: Shutdown,
): Promise<Member> {
  const { config, store, latest, clock, metrics, log } = parts;
  const { shard } = cluster;
  let isLeading = false;
  let led: LedCallers | undefined;
  checkConfigured({
    accounts: config.accounts,
    configured: config.alerts.rules,
    allowsPrivate: config.alerts.toPrivate,
    now: clock.wall,
  });
  const ask = createAskEngine(bus.commands, realTime);
  const { newId } = parts.machine;
  await openKeySocket(
    parts,
    () => led?.registry,
    shutdown,
    (command) => runOnLeader(ask, { shard, id: newId() }, command),
  );
  const stopping = new AbortController();
  shutdown.add(async () => stopping.abort());
  const engine = await standByEngine({
    ...parts,
    // The hosts tell the time only to those who ask them.
    agreedNow: () => (isLeading || parts.doubt() !== undefined ? parts.agreedNow() : clock.wall()),
  });
  const standby = await serveStandby(parts);
  const leading = createShutdown();

  async function lead({ lease, publishing }: Leadership): Promise<void> {
    isLeading = true;
    const running = engine.lead({ publishing: publishing.publishing, mayAsk: lease.isHeld });
    leading.add(() => running.stop());
    await registerShard({
      bus,
      shard,
      accounts: config.accounts,
      staleAfterMs: config.staleAfterMs,
      now: clock.wall,
    });
    const { port, close: freePort } = standby;
    const { signal } = stopping;
    led = await serveAsLeader(
      { cluster, bus, engine: running, publishing, isHeld: lease.isHeld, port, freePort, signal },
      parts,
      leading,
    );
    const snapshots = startSnapshots({
      bus,
      shard,
      folder: config.data,
      accounts: config.accounts.map(({ id }) => id),
      latest,
      takeSnapshot: machine.takeSnapshot,
      place: () => publishing.position.place,
      report: (error) => log.warn({ err: error }, 'a snapshot for edges could not be made, trying again'),
    });
    leading.add(() => snapshots.stop());
    log.info({ shard, term: lease.term }, 'serving as the leader');
  }

  const membership = await joinShard({
    bus,
    shard,
    owner: `${name}-${parts.machine.newId().slice(-8)}`,
    member: name,
    host: hostname(),
    version: parts.version,
    data: config.data,
    store,
    engine,
    time: realTime,
    now: clock.wall,
    lead,
    stopLeading: leading.run,
    lastAppendMs: config.drainSeconds * 1_000 + LAST_APPEND_MS,
    report: reportTo(log),
  });
  // One is set aside only after this process has closed its store.
  const divergedStores = machine.countStoresAside(config.data);
  metrics.watchCluster(() => ({ ...figuresOf(membership, bus), divergedStores }));
  shutdown.add(async () => {
    await membership.stop();
    await standby.close();
  });
  return { url: standby.url, isDemo: false, over: membership.over };
}

function figuresOf(membership: Membership, bus: Bus) {
  const { state, term, place, lagMs, alarm } = membership.state();
  return {
    isLeading: state === 'leader',
    isConnected: bus.isConnected(),
    term: term ?? 0,
    place: place ?? 0,
    lagMs: lagMs ?? 0,
    heldMs: membership.heldMs(),
    hasAlarm: alarm !== null,
  };
}

/** Probes alone, until this engine leads. */
async function serveStandby({ config, machine: { listen }, metrics, log }: MemberParts) {
  const operations = {
    isLive: () => true,
    isReady: () => false,
    metrics: async () => ({ contentType: metrics.contentType, text: await metrics.text() }),
  };
  const limits = httpLimits(config);
  const http = createHttpServer(createStandbyApp(operations), limits, undefined, listen);
  const url = await http.listen(config.port, config.host);
  const report = (error: unknown) => log.error({ err: error }, 'a request failed');
  const operator =
    config.metrics && createHttpServer(createOperatorApp(operations, report), limits, undefined, listen);
  if (config.metrics !== null) await operator?.listen(config.metrics.port, config.metrics.host);
  const now = { noticeMs: 0, deadlineMs: 0 };
  return {
    url,
    port: Number(new URL(url).port),
    async close() {
      await Promise.all([http.drain(now), operator?.drain(now)]);
    },
  };
}

function reportTo(log: Logger): (news: ClusterNews) => void {
  return (news) => {
    switch (news.type) {
      case 'standing_by':
        log.info({ seq: news.seq }, 'standing by');
        return;
      case 'leading':
        log.info({ term: news.term, seq: news.seq }, 'leading');
        return;
      case 'alarm':
        log.error(news.message);
        return;
      case 'trouble':
        log.warn({ err: news.error }, 'trouble on the bus');
    }
  };
}
