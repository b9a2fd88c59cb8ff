import { createGate } from '../../src/access/gate.ts';
import { demoKeys, type KeyLookup } from '../../src/access/keys/key-lookup.ts';
import type { Budgets } from '../../src/access/limits/budgets.ts';
import type { Limits } from '../../src/access/limits/rate-policy.ts';
import { createUsageTracking, type UsageTracking } from '../../src/access/usage/tracking.ts';
import { openAlerts } from '../../src/alerts/alerts.ts';
import { rulesOfKeys } from '../../src/alerts/rules-of-keys.ts';
import type { StoreState } from '../../src/observability/health.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { type App, type AppDeps, createApp } from '../../src/server/app.ts';
import {
  createHttpServer,
  type FeedConnections,
  HTTP_LIMITS,
  type HttpServer,
} from '../../src/server/http.ts';
import { openOperations } from '../../src/service/operations.ts';
import { createShutdown } from '../../src/service/shutdown.ts';
import { createLatest, type LatestWriter } from '../../src/views/latest.ts';
import { openPast } from '../../src/views/past.ts';
import type { Output } from '../../streams/internal.ts';
import { ACCOUNTS } from '../support/accounts.ts';
import { checkedFetch } from '../support/answer-check.ts';
import { STALE_AFTER_MS } from '../support/facts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { freshnessOutput, NOON } from '../support/outputs.ts';

/** A server on a free port, with everything around it in the test's hand. */
export interface Running {
  readonly url: string;
  readonly app: App;
  readonly http: HttpServer;
  readonly latest: LatestWriter;
  readonly clock: { now: number };
  readonly store: { state: StoreState };
  /** Flushed by the test alone. */
  readonly usage: UsageTracking;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Puts outputs in as one turn, which ends with the highest seq among them. */
  put(...outputs: readonly Output[]): void;
  stop(): Promise<void>;
}

export interface Start {
  readonly loaded?: readonly Output[];
  /** Whether the list of the market's events was read; true unless given. */
  readonly areEventsKnown?: boolean;
  readonly keys?: KeyLookup;
  /** Without them nobody is limited. */
  readonly limits?: Limits;
  /** Without it bytes do not count. */
  readonly shares?: Budgets | undefined;
  readonly epoch?: string;
  readonly deps?: Partial<AppDeps>;
  /** Opens the feed that shares the server. */
  readonly feed?: (deps: AppDeps) => FeedConnections;
}

const UNLIMITED: Limits = { FREE: null, PRO: null, INTERNAL: null };

/** Accounts a and b under `account_a` and `account_b`, and the demo keys. */
export async function start({
  loaded = [],
  areEventsKnown = true,
  keys = demoKeys(),
  limits = UNLIMITED,
  shares,
  epoch = 'e1',
  deps,
  feed,
}: Start = {}): Promise<Running> {
  const latest = createLatest();
  if (areEventsKnown) latest.load([freshnessOutput({}, { seq: 0 })]);
  latest.load(loaded);
  const clock = { now: NOON };
  const store: { state: StoreState } = { state: 'open' };
  const memory = createMemoryStore();
  const usage = createUsageTracking({
    store: memory.usage,
    now: () => clock.now,
    retentionDays: 90,
    report(error) {
      throw error;
    },
  });
  const closing = createShutdown();
  let rules = 0;
  const staleAfterMs = STALE_AFTER_MS;
  const shared = { latest, accounts: ACCOUNTS, now: () => clock.now, staleAfterMs, ...deps };
  const operations = openOperations(
    {
      ...shared,
      metrics: createMetrics(),
      sources: () => [],
      store: () => store.state,
      writesHeldMs: () => 0,
    },
    closing,
  );
  const alerts = await openAlerts({
    stored: memory.alerts,
    outputs: memory.outputs,
    latest,
    accounts: ACCOUNTS,
    configured: [],
    isAdmitted: () => true,
    allowsPrivate: false,
    now: () => clock.now,
    mono: () => clock.now,
    random: () => 0.5,
    newId: () => `rule${++rules}`,
    report(error) {
      throw error;
    },
  });
  closing.add(() => alerts.stop());
  const appDeps: AppDeps = {
    past: openPast(memory, latest),
    gate: createGate({ keys, limits, shares, now: () => clock.now }),
    recorder: usage,
    usage,
    waitlist: memory.waitlist,
    rules: () => rulesOfKeys(alerts),
    operations,
    epoch,
    positions: { of: async () => [] },
    ...shared,
  };
  const app = createApp(appDeps);
  const connections = feed?.(appDeps);
  const http = createHttpServer(app, HTTP_LIMITS, connections && (() => connections));
  const url = await http.listen(0, '127.0.0.1');
  return {
    url,
    app,
    http,
    latest,
    clock,
    store,
    usage,
    get: (path, headers = {}) => checkedFetch(url + path, { headers }),
    put(...outputs) {
      const last = outputs.reduce((a, b) => (b.seq > a.seq ? b : a));
      latest.apply(outputs, last.seq, last.at);
    },
    async stop() {
      await http.drain({ noticeMs: 0, deadlineMs: 0 });
      await closing.run();
    },
  };
}

/** The body as JSON of any shape: what a test asserts on is what it expects it to be. */
export async function json(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new TypeError('the body is not an object');
  return { ...body };
}
