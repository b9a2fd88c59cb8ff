import { DAY_MS } from '../../streams/internal.ts';
import { proxiesOf } from '../access/client-address.ts';
import type { Gate } from '../access/gate.ts';
import type { UsageRecorder } from '../access/usage/recorder.ts';
import type { UsageReader } from '../access/usage/tracking.ts';
import type { Alerts } from '../alerts/alerts.ts';
import { type RulesOfKeys, rulesOfKeys } from '../alerts/rules-of-keys.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { type Feed, openFeed } from '../feed/feed.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { PaymentService } from '../payments/payment-service.ts';
import { createApp } from '../server/app.ts';
import { internalError, refusal } from '../server/error-answer.ts';
import type { Forward } from '../server/forwarded.ts';
import { API_HEADERS } from '../server/headers.ts';
import { createHttpServer, httpLimits } from '../server/http.ts';
import { createOperatorApp } from '../server/operator-app.ts';
import { reportBugs } from '../server/report-bugs.ts';
import type { Positions } from '../sources/positions/position.ts';
import type { Store, StoredFrames, Waitlist } from '../store/store.ts';
import type { Latest } from '../views/latest.ts';
import { openPast } from '../views/past.ts';
import type { Logger } from './logger.ts';
import { type Machine, thisMachine } from './machine.ts';
import { openOperations } from './operations.ts';
import { drainTimes } from './ports.ts';
import type { Shutdown } from './shutdown.ts';

/** An append to the bus takes milliseconds; while servers change their leader, seconds. */
const SLOW_APPEND_MS = 5_000;
/** How long health tells of a repair. The metric and the log tell of it for ever. */
const REPAIR_SHOWN_MS = DAY_MS;

export interface ServerParts {
  readonly config: Config;
  readonly store: Store;
  readonly latest: Latest;
  readonly clock: Clock;
  /** What is wrong with the time, given how far the log is ahead of it; undefined when nothing is. */
  readonly clockFault: (logAheadMs: number) => string | undefined;
  /** While it recovers, stored values are served, and the feed is not. */
  readonly engine: Promise<Engine>;
  readonly gate: Gate;
  readonly payments: PaymentService | undefined;
  readonly recorder: UsageRecorder;
  readonly usage: UsageReader;
  readonly waitlist: Waitlist;
  /** Opens alerts. Called once, when the engine is open; absent where there are none. */
  readonly openAlerts?: () => Promise<Alerts>;
  /** The rules of keys, where they are not simply those of these alerts. */
  readonly rules?: RulesOfKeys;
  readonly positions: Positions;
  readonly metrics: Metrics;
  /** When damage to the store was repaired last, UTC ms; 0 for never. */
  readonly repairedAt: number;
  /** Whether the demo keys work. */
  readonly isDemo: boolean;
  /** Where a reader's browser finds the page of an event, by its slug. */
  readonly marketPages?: string | undefined;
  /** A wallet to try, in the demo. */
  readonly demoWallet?: string | undefined;
  /** How this engine leads where there are others; absent where it is alone. */
  readonly cluster?: ServedCluster | undefined;
  readonly machine?: Machine;
  /** Called when the feed cannot go on, and only a restart recovers. */
  readonly broken?: ((error: unknown) => void) | undefined;
  readonly log: Logger;
}

/** What a leader serves its own readers with. */
interface ServedCluster {
  readonly port: number;
  readonly epoch: string;
  /** Resolves once all machines will know the frames. */
  readonly share: (batch: Parameters<StoredFrames['append']>[0]) => Promise<void>;
  /** Where its frames are stored then. */
  readonly frames: StoredFrames;
  /** Ms for which the bus has not taken what has to be appended; 0 while it does. */
  readonly heldMs: () => number;
  /** Where another shard keeps callers: has its engine answer for their usage. */
  readonly forwardUsage: Forward | undefined;
}

/** Where readers are served. */
export interface Served {
  readonly url: string;
  /** Whether the demo keys work. */
  readonly isDemo: boolean;
}

interface StartedServer {
  readonly url: string;
  /** Resolves when everything is served, the feed too. Rejects when the engine does not open. */
  readonly whole: Promise<void>;
  /** Answers what other processes forward. */
  readonly answerForwarded: Forward;
}

/** Serves HTTP and, unless it is off, the push feed. */
export async function startServer(parts: ServerParts, shutdown: Shutdown): Promise<StartedServer> {
  const {
    config,
    store,
    latest,
    clock,
    gate,
    payments,
    metrics,
    cluster,
    machine = thisMachine,
    log,
  } = parts;
  const { newId, listen } = machine;
  let engine: Engine | undefined;
  let rules: RulesOfKeys | undefined;
  const starting = () => (engine === undefined ? 'it reads its own log' : undefined);
  // The log of all machines has to be written before that of this one.
  const writesHeldMs = () => {
    const busMs = cluster?.heldMs() ?? 0;
    return Math.max(engine?.writesHeldMs() ?? 0, busMs > SLOW_APPEND_MS ? busMs : 0);
  };
  const operations = openOperations(
    {
      latest,
      accounts: config.accounts,
      metrics,
      sources: () => engine?.sources() ?? [],
      starting,
      store: () => {
        if (writesHeldMs() > 0) return 'read_only';
        return clock.wall() - parts.repairedAt < REPAIR_SHOWN_MS ? 'repaired' : 'open';
      },
      writesHeldMs,
      clockFault: () => parts.clockFault(engine?.logAheadMs() ?? 0),
      now: clock.wall,
    },
    shutdown,
  );
  const app = createApp({
    latest,
    past: openPast(store, latest),
    accounts: config.accounts,
    gate,
    paidAccess: payments && { payments, proxies: proxiesOf(config.trustedProxies) },
    recorder: parts.recorder,
    usage: parts.usage,
    waitlist: parts.waitlist,
    rules: parts.openAlerts && (() => rules),
    forwardUsage: cluster?.forwardUsage,
    operations,
    now: clock.wall,
    staleAfterMs: config.staleAfterMs,
    epoch: cluster?.epoch ?? newId(),
    areTagsShared: cluster !== undefined,
    starting,
    hasFeed: config.feed !== null,
    isDemo: parts.isDemo,
    marketPages: parts.marketPages,
    demoWallet: parts.demoWallet,
    hasMetrics: config.metrics === null,
    positions: parts.positions,
  });
  const report = (error: unknown) => log.error({ err: error }, 'a request failed');
  reportBugs(app, report);
  const limits = httpLimits(config);
  const openItsFeed = (feedLimits: NonNullable<Config['feed']>) =>
    openFeed({
      latest,
      window: cluster?.frames ?? store.feed,
      cluster,
      newEpoch: newId,
      broken: parts.broken,
      outputs: store.outputs,
      accounts: config.accounts,
      gate,
      proxies: limits.proxies,
      limits: feedLimits,
      staleAfterMs: config.staleAfterMs,
      now: clock.wall,
      mono: clock.mono,
      headers: API_HEADERS,
      answerTo: (error) => refusal(error) ?? internalError(),
      report: (error) => log.error({ err: error }, 'the feed failed; writes are tried again'),
    });
  if (config.metrics !== null) {
    const operator = createHttpServer(createOperatorApp(operations, report), limits, undefined, listen);
    await operator.listen(config.metrics.port, config.metrics.host);
    shutdown.add(() => operator.drain({ noticeMs: 0, deadlineMs: 0 }));
  }
  let feed: Feed | undefined;
  // Closed after the server, when no reader is left.
  shutdown.add(async () => feed?.close());
  const http = createHttpServer(app, limits, config.feed === null ? undefined : () => feed, listen);
  metrics.watchUnsent(http.unsent);
  const url = await http.listen(cluster?.port ?? config.port, config.host);
  shutdown.add(() => http.drain(drainTimes(config)));
  const openRest = async () => {
    const opened = await parts.engine;
    if (config.feed !== null) {
      feed = openItsFeed(config.feed);
      metrics.watchFeed(feed.figures);
    }
    const alerts = await parts.openAlerts?.();
    rules = parts.rules ?? (alerts && rulesOfKeys(alerts));
    metrics.watchSources(opened.sources);
    engine = opened;
  };
  return { url, whole: openRest(), answerForwarded: app.answerForwarded };
}
