import * as z from 'zod';
import type { Post } from '../../streams/internal.ts';
import type { Alerts, AlertTimes } from '../alerts/alerts.ts';
import type { Config } from '../config/config.ts';
import { type Clock, type SystemClock, systemClock } from '../engine/clock.ts';
import type { EngineReport } from '../engine/engine.ts';
import { ServiceError, StoreError } from '../errors.ts';
import { createMetrics } from '../observability/metrics.ts';
import type { Positions } from '../sources/positions/position.ts';
import { createPositions } from '../sources/positions/positions.ts';
import type { SourceSettings } from '../sources/settings.ts';
import type { StartingStore } from '../store/lmdb/open-store.ts';
import { REPAIR_NOTE, type Store } from '../store/store.ts';
import { historyPercent } from '../views/history.ts';
import { createLatest, type Latest } from '../views/latest.ts';
import { isInEvents } from '../views/portfolio/held-positions.ts';
import { openAccess } from './access.ts';
import { openConfiguredAlerts } from './alerts.ts';
import { bindAccounts } from './bind-accounts.ts';
import type { ClusterMachine } from './cluster-machine.ts';
import { startEngine } from './engine.ts';
import { withListedLimits } from './listed-limits.ts';
import { lockData } from './lock-data.ts';
import type { Logger } from './logger.ts';
import { type Machine, thisMachine } from './machine.ts';
import { openPayments } from './payments.ts';
import { checkPorts } from './ports.ts';
import { tellCost } from './posts-cost.ts';
import { reportTo } from './reporting.ts';
import { type Served, type ServerParts, startServer } from './server.ts';
import { openWithShutdown, type Shutdown } from './shutdown.ts';
import { openTime, spedUpTime, timeFault, timeOf, watchTime, withoutHosts } from './time.ts';
import { reachUpstream, type Upstream } from './upstream.ts';
import { startUsage } from './usage.ts';

/** A process that ends earlier than this may have been ended by damage in its store. */
const SETTLED_AFTER_MS = 60_000;
const MEGABYTE = 1024 * 1024;

export interface Service {
  readonly url: string;
  readonly banner: {
    readonly world: string;
    readonly data: string;
    readonly accounts: readonly string[];
    /** Whether the demo keys work. */
    readonly isDemo: boolean;
  };
  /** Resolves when a read finds damage in the store: the service has to be stopped, and the next start repairs it. */
  readonly damaged: Promise<StoreError>;
  /**
   * Resolves when the service cannot go on and has to be stopped: another engine leads, this one cannot follow, or a bug of
   * ours kept something from being stored that follows from the log.
   */
  readonly over: Promise<ServiceError>;
  /** How much was read of the past that the counts need, in percent, over all accounts of this process. */
  historyPercent(): number;
  /** Calls back for each post that was made after the start, until the returned function is called. */
  watchPosts(found: (post: Post) => void): () => void;
  /** Answers the open requests, stops the sources, saves a checkpoint and closes the store. May be called twice. */
  stop(): Promise<void>;
}

/** Tests set these, to make a day pass in a second, or to have a machine of their own. */
interface ServiceOptions {
  /** Believed as it is. */
  readonly clock?: Clock;
  /** Checked as that of the machine is. */
  readonly system?: SystemClock;
  readonly machine?: Machine;
  readonly clusterMachine?: ClusterMachine;
  readonly sources?: Partial<SourceSettings>;
  readonly alertTimes?: Partial<AlertTimes>;
  /** Between two ticks of the engine; a second unless given. */
  readonly tickMs?: number;
  /** Of the program. */
  readonly version?: string;
  /** Called often while its own log is read before anything is served, with the share that was read. */
  readonly onRecovering?: (share: number) => void;
}

/** Opens everything that the configuration needs. A failed start leaves nothing open. */
export async function openService(
  config: Config,
  log: Logger,
  options: ServiceOptions = {},
): Promise<Service> {
  const attempt = () => openWithShutdown(log, (shutdown) => open(config, log, options, shutdown));
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'STORE_CORRUPT') throw error;
    // Noted in the folder, so the next attempt repairs it.
    log.error({ err: error }, 'the store is damaged, starting again to repair it');
    return attempt();
  }
}

async function open(
  configured: Config,
  log: Logger,
  options: ServiceOptions,
  shutdown: Shutdown,
): Promise<Service> {
  const { clock: given, system = systemClock, machine = thisMachine, version = 'unknown' } = options;
  const { sources: sourceSettings = {}, tickMs } = options;
  const machineTime = given === undefined ? openTime(system) : timeOf(given);
  watchTime(machineTime, log, shutdown);
  // Checked first, so that a start without a free port or a world does not touch the data folder.
  await checkPorts(configured, machine);
  const reachable = await reachUpstream(configured);
  const { cluster } = configured;
  // Nothing of several machines is loaded where there is one.
  const shard =
    cluster &&
    (await (
      await import('./shard-member.ts')
    ).openShard(cluster, configured, log, shutdown, options.clusterMachine));

  const { store, settled } = await openLockedStore(configured, machine, log, shutdown, shard?.afterClose);
  const damaged = new Promise<StoreError>((resolve) => store.onDamage(resolve));
  store.onDamage((error) => log.error({ err: error, part: error.part }, 'found damage in the store'));
  const upstream = await reachable.open({
    data: configured.data,
    notes: store.notes,
    now: machineTime.clock.wall,
  });
  shutdown.add(() => upstream.close());
  await bindAccounts(upstream.endpoints.accounts, { data: configured.data, notes: store.notes });
  const config = withListedLimits(configured, upstream.endpoints);
  const speed = config.world.type === 'embedded' ? config.world.speed : 1;
  // Callers live by the clock on the wall, however fast the world is. Its hosts then tell nothing about the machine.
  const callersTime = speed === 1 ? machineTime : withoutHosts(machineTime);
  const time = speed === 1 ? machineTime : spedUpTime(callersTime, upstream.startAt, speed);
  const { clock } = time;

  const latest = createLatest(store.outputs, { speed, mono: clock.mono });
  const metrics = createMetrics({ usdPer1000Reads: config.posts.usdPer1000Reads, now: clock.wall });
  const repairedAt = repairedAtOf(store);
  metrics.storeRepaired(repairedAt);
  const { endpoints, isStandIn } = upstream;
  const { isBroken, broken } = breaking();
  const tell = reportTo(log, metrics);
  const report = (news: EngineReport) => {
    tell(news);
    if (news.type === 'recovering') options.onRecovering?.(news.share);
    if (news.type === 'broken') broken(news.error);
  };
  const links = { marketPages: endpoints.market.pages, demoWallet: upstream.demoWallet };
  const parts = { config, store, latest, clock, metrics, repairedAt, machine, ...links, broken, log };
  const engineParts = { ...parts, ...time, speed, endpoints, sourceSettings, tickMs, report };
  const callers = { ...parts, ...callersTime };
  const positions = positionsOf(upstream, sourceSettings, parts);

  /** Opens an engine that is alone, and what its readers need. Stored values are served while it recovers. */
  const openAlone = async (): Promise<Served> => {
    const { hasValues, opened } = await startEngine(engineParts, shutdown);
    if (!hasValues) await opened;
    let alerts: Alerts | undefined;
    const { gate, tierOf, isDemo } = await openAccess(
      { ...callers, isStandIn, alerts: () => alerts },
      shutdown,
    );
    const usage = startUsage({ ...callers, store: store.usage }, tierOf);
    shutdown.add(() => usage.stop());
    const payments = await openPayments({ ...callers, standIn: upstream });
    shutdown.add(async () => payments?.service.close());
    const clockFault = (logAheadMs: number) => timeFault(time.doubt(), logAheadMs);
    const { url, whole } = await startServer(
      {
        ...parts,
        clockFault,
        engine: opened,
        gate,
        payments: payments?.service,
        recorder: usage,
        usage,
        waitlist: store.waitlist,
        openAlerts: async () => {
          alerts = await openConfiguredAlerts(
            { ...callers, ...store, stored: store.alerts, tierOf, times: options.alertTimes },
            shutdown,
          );
          return alerts;
        },
        positions,
        isDemo,
      },
      shutdown,
    );
    await whole;
    return { url, isDemo };
  };

  const member =
    shard &&
    (await shard.join(
      {
        ...engineParts,
        callers,
        standIn: upstream,
        positions,
        repairedAt,
        doubt: time.doubt,
        version,
        alertTimes: options.alertTimes,
      },
      shutdown,
    ));
  const { url, isDemo } = member ?? (await openAlone());
  // The start is over. The first step of a stop comes last here.
  store.allowReserve(false);
  shutdown.add(async () => store.allowReserve(true));
  log.info({ url, world: upstream.name, data: config.data }, 'listening');
  // A stand-in sends no bill.
  if (!isStandIn) tellCost({ ...parts, endpoints });

  const wait = setTimeout(settled, SETTLED_AFTER_MS);
  wait.unref();
  shutdown.add(async () => clearTimeout(wait));
  const accounts = config.accounts.map(({ segment }) => segment);
  const startedAt = clock.wall();
  return {
    url,
    banner: { world: upstream.name, data: config.data, accounts, isDemo },
    damaged,
    historyPercent: () =>
      meanPercent(config.accounts.map(({ id }) => historyPercent(latest, id, clock.wall()))),
    watchPosts: (found) => watchPosts(latest, startedAt, found),
    over: member ? Promise.race([member.over, isBroken]) : isBroken,
    stop: shutdown.run,
  };
}

/** 100 only when all are. */
function meanPercent(percents: readonly number[]): number {
  return Math.floor(percents.reduce((sum, percent) => sum + percent, 0) / Math.max(1, percents.length));
}

function watchPosts(latest: Latest, startedAt: number, found: (post: Post) => void): () => void {
  const subscription = latest.change$.subscribe((outputs) => {
    for (const output of outputs) {
      if (output.stream !== 'posts' || output.cause !== 'new_post') continue;
      if (output.record.createdAt > startedAt) found(output.record);
    }
  });
  return () => subscription.unsubscribe();
}

/** A promise of the first of the errors that nothing but a restart recovers from. */
function breaking() {
  let broken: (error: unknown) => void = () => undefined;
  const isBroken = new Promise<ServiceError>((resolve) => {
    broken = (cause) =>
      resolve(
        cause instanceof ServiceError
          ? cause
          : new ServiceError('ENGINE_BROKEN', `cannot go on without a restart: ${String(cause)}`, { cause }),
      );
  });
  return { isBroken, broken };
}

async function openLockedStore(
  { data, diskReserveMb }: Config,
  machine: Machine,
  log: Logger,
  shutdown: Shutdown,
  afterClose?: () => Promise<void>,
): Promise<StartingStore> {
  await lockData(data, log, shutdown, machine);
  // After the store is closed, and before another process may use the folder.
  if (afterClose !== undefined) shutdown.add(afterClose);
  const starting = await machine.openStore(data, {
    tell: ({ level, message, details }) => log[level](details, message),
    reserveBytes: diskReserveMb * MEGABYTE,
  });
  shutdown.add(async () => {
    await starting.store.close();
    starting.finished();
  });
  starting.store.allowReserve(true);
  return starting;
}

/** When damage to the store was repaired last, UTC ms; 0 for never. */
function repairedAtOf({ notes }: Store): number {
  const text = notes.get(REPAIR_NOTE);
  return text === undefined ? 0 : repairNote.parse(JSON.parse(text)).at;
}

const repairNote = z.object({ at: z.number() });

type PositionsParts = Pick<ServerParts, 'latest' | 'log'>;

function positionsOf(
  { endpoints }: Upstream,
  settings: Partial<SourceSettings>,
  parts: PositionsParts,
): Positions {
  const { latest, log } = parts;
  return createPositions(endpoints, {
    ...settings,
    refused: (reason) => log.warn({ reason }, 'a list of positions was not believed'),
    isFollowed: (market) =>
      isInEvents(
        market,
        Array.from(latest.all('events'), ({ record }) => record),
      ),
  });
}
