import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { proxiesOf } from '../access/client-address.ts';
import { createUsageTracking } from '../access/usage/tracking.ts';
import type { Config } from '../config/config.ts';
import { type Clock, systemClock } from '../engine/clock.ts';
import { openEngine } from '../engine/engine.ts';
import { openFeed } from '../feed/feed.ts';
import { createMetrics } from '../observability/metrics.ts';
import { createApp } from '../server/app.ts';
import { internalError, refusal } from '../server/error-answer.ts';
import { API_HEADERS } from '../server/headers.ts';
import { checkPort, createHttpServer, httpLimits } from '../server/http.ts';
import type { SourceSettings } from '../sources/settings.ts';
import { createPositions, createSources } from '../sources/sources.ts';
import { diskUse } from '../store/disk.ts';
import { openStore } from '../store/lmdb/open-store.ts';
import { lockFolder } from '../store/lock.ts';
import { createLatest } from '../views/latest.ts';
import { openPast } from '../views/past.ts';
import { openAccess } from './access.ts';
import { MAIN_FEED } from './counting-rule.ts';
import { openPayments } from './payments.ts';
import { reportTo } from './reporting.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';
import { findUpstream } from './upstream.ts';

/** How long requests in flight may take once the port is closed. */
const DRAIN_DEADLINE_MS = 8_000;

export interface Service {
  readonly url: string;
  readonly banner: {
    readonly world: string;
    readonly data: string;
    readonly accounts: readonly string[];
    /** Whether the demo keys work. */
    readonly isDemo: boolean;
  };
  /** Answers what is under way, ends the sources, saves a checkpoint, closes the store. Twice is fine. */
  stop(): Promise<void>;
}

/** What a test replaces to make a day pass in a second. */
export interface ServiceRim {
  readonly clock: Clock;
  readonly sources: Partial<SourceSettings>;
}

/** Opens everything a configuration asks for. A failure leaves nothing open, and nothing half made. */
export async function openService(
  config: Config,
  log: Logger,
  { clock = systemClock, sources = {} }: Partial<ServiceRim> = {},
): Promise<Service> {
  const closing = createShutdown();
  try {
    return await open(config, log, { clock, sources }, closing);
  } catch (error) {
    await closing
      .run()
      .catch((reason: unknown) => log.error({ err: reason }, 'closing after a failed start failed'));
    throw error;
  }
}

async function open(config: Config, log: Logger, rim: ServiceRim, closing: Shutdown): Promise<Service> {
  const { clock } = rim;
  // Before the data folder is touched: a start that cannot listen, or has no world, should leave no trace.
  await checkPort(config.port, config.host);
  const found = await findUpstream(config.world);
  const lock = await lockFolder(config.data);
  closing.add(() => lock.release());
  const store = await openStore(config.data);
  closing.add(() => store.close());
  const outside = await found.open({ data: config.data, notes: store.notes, now: clock.wall });
  closing.add(() => outside.close());

  const latest = createLatest();
  const metrics = createMetrics();
  const engine = await openEngine({
    store,
    latest,
    clock,
    random: Math.random,
    sources: createSources(outside.endpoints, { historyDays: config.historyDays, ...rim.sources }),
    settings: {
      kind: 'settings',
      accounts: config.accounts.map(({ id }) => ({ id, rule: MAIN_FEED })),
      staleAfterMs: config.staleAfterMs,
    },
    retentionDays: config.retentionDays,
    checkpointMs: config.checkpointSeconds * 1_000,
    disk: () => diskUse(config.data),
    report: reportTo(log, metrics),
  });
  closing.add(() => engine.stop());
  metrics.watchSources(engine.sources);

  const usage = createUsageTracking({
    store: store.usage,
    now: clock.wall,
    retentionDays: config.usageRetentionDays,
    report: (error) => log.error({ err: error }, 'usage could not be stored, trying again'),
  });
  closing.add(() => usage.stop());
  usage.start();

  const isMadeUp = outside.isDemo;
  const { gate, isDemo } = await openAccess({ config, store, clock, isMadeUp, log }, closing);
  const till = await openPayments(
    { config: config.payments, demoFacilitator: outside.facilitator, store, clock, metrics, log },
    closing,
  );
  const app = createApp({
    latest,
    past: openPast(store, latest),
    accounts: config.accounts,
    gate,
    paidAccess: till && { till, proxies: proxiesOf(config.trustedProxies) },
    recorder: usage,
    usage,
    waitlist: store.waitlist,
    metrics,
    store: () => (engine.isHeldUp() ? 'read_only' : 'open'),
    now: clock.wall,
    staleAfterMs: config.staleAfterMs,
    epoch: randomUUID(),
    hasFeed: config.feed !== null,
    isDemo,
    positions: createPositions(
      outside.endpoints,
      (reason) => log.warn({ reason }, 'a list of positions was not believed'),
      rim.sources,
    ),
  });
  app.koa.on('error', (error: unknown) => log.error({ err: error }, 'a request failed'));
  const limits = httpLimits(config);
  const feed =
    config.feed &&
    openFeed({
      latest,
      window: store.feed,
      outputs: store.outputs,
      accounts: config.accounts,
      gate,
      proxies: limits.proxies,
      limits: config.feed,
      staleAfterMs: config.staleAfterMs,
      now: clock.wall,
      mono: clock.mono,
      headers: API_HEADERS,
      answerTo: (error) => refusal(error) ?? internalError(),
      report: (error) => log.error({ err: error }, 'the feed failed; what is stored is tried again'),
    });
  if (feed) {
    closing.add(() => feed.close());
    metrics.watchFeed(feed.figures);
  }
  const http = createHttpServer(app, limits, feed ?? undefined);
  const url = await http.listen(config.port, config.host);
  closing.add(() => http.drain({ noticeMs: config.drainSeconds * 1_000, deadlineMs: DRAIN_DEADLINE_MS }));
  log.info({ url, world: outside.name, data: config.data }, 'listening');

  return {
    url,
    banner: {
      world: outside.name,
      data: config.data,
      accounts: config.accounts.map(({ segment }) => segment),
      isDemo,
    },
    stop: closing.run,
  };
}
