import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from '@koa/router';
import Koa from 'koa';
import type { Gate } from '../access/gate.ts';
import type { UsageRecorder } from '../access/usage/recorder.ts';
import type { UsageReader } from '../access/usage/tracking.ts';
import type { StoreState } from '../observability/health.ts';
import { createLoopDelay } from '../observability/loop-delay.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createVitals } from '../observability/vitals.ts';
import type { Positions } from '../sources/positions/position.ts';
import type { Waitlist } from '../store/store.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { AgeLimits } from '../views/as-of.ts';
import type { Latest } from '../views/latest.ts';
import type { Past } from '../views/past.ts';
import { createCalibration } from '../views/performance/calibration.ts';
import { createWatcher } from '../views/watch.ts';
import type { Door, SlowEndpoint } from './answer.ts';
import { answerErrors, countRequests, keepFromPages, refuseUnmatched, setHeaders } from './middleware.ts';
import type { PaidAccess } from './paid-access.ts';
import { asksForPast } from './past/asks-for-past.ts';
import { createPositionRequests } from './portfolio/position-requests.ts';
import { createWallets } from './portfolio/wallets.ts';
import { createReadyAnswers } from './ready-answers.ts';
import { visit, visitFile } from './request-protocol.ts';
import { dashboardEndpoints } from './routes/dashboard.ts';
import { documentEndpoints, rendererEndpoints } from './routes/documents.ts';
import { feedEndpoint } from './routes/feed.ts';
import { healthEndpoint } from './routes/health.ts';
import { opsRoutes } from './routes/ops.ts';
import { pastEndpoints } from './routes/past.ts';
import { calibrationEndpoint, historyEndpoint, overviewEndpoint } from './routes/performance.ts';
import { portfolioEndpoints } from './routes/portfolio.ts';
import { rebalancingEndpoints } from './routes/rebalancing.ts';
import { cryptoEndpoint, lagEndpoint, metaEndpoint, predictionEndpoint } from './routes/record-endpoints.ts';
import { signalsEndpoint } from './routes/signals.ts';
import { tweetsEndpoint } from './routes/tweets.ts';
import { usageEndpoints } from './routes/usage.ts';
import { waitlistEndpoint } from './routes/waitlist.ts';

export interface AppDeps {
  /** Loaded before the app is made. */
  readonly latest: Latest;
  readonly past: Past;
  readonly accounts: readonly AccountPath[];
  readonly gate: Gate;
  /** Where single calls are paid for; nowhere without it. */
  readonly paidAccess?: PaidAccess | undefined;
  /** Told of every request that was answered. */
  readonly recorder?: UsageRecorder;
  /** What was recorded. */
  readonly usage: UsageReader;
  readonly waitlist: Waitlist;
  readonly metrics: Metrics;
  readonly store: () => StoreState;
  /** UTC ms. */
  readonly now: () => number;
  /** Inputs older than this are stale. */
  readonly staleAfterMs: AgeLimits;
  /** New at every start of the process. */
  readonly epoch: string;
  /** The market's word on what wallets hold. */
  readonly positions: Positions;
  /** Whether the push feed is served; it is unless told otherwise. */
  readonly hasFeed?: boolean;
  /** Whether the published keys of the demo are let in; they are not unless told so. */
  readonly isDemo?: boolean;
}

export interface App {
  /** Everything as ordinary Koa. Its `error` event tells of bugs, to be logged by whoever starts it. */
  readonly koa: Koa;
  /** Every endpoint with whom it is for, but for those of the operator. */
  readonly doors: readonly (Door & { readonly method: 'GET' | 'POST' })[];
  /** The hot table, then Koa. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void;
  readonly isDraining: () => boolean;
  /** Not ready and unavailable from now on, and no connection is kept after its answer. */
  beginDrain(): void;
  close(): void;
}

const UNRECORDED: UsageRecorder = { record: () => undefined };

export function createApp(deps: AppDeps): App {
  const { latest, metrics, now, gate, paidAccess, recorder = UNRECORDED } = deps;
  const watcher = createWatcher(latest);
  const loop = createLoopDelay();
  const vitals = createVitals(deps);
  const streamDeps = { ...deps, watcher };
  const koa = new Koa();
  const report = (error: unknown) => koa.emit('error', error);
  const scores = watcher.watch(({ stream }) => stream === 'scores');
  const calibration = createCalibration({ ...deps, scores, report });
  const endpoints = [
    cryptoEndpoint(streamDeps),
    ...deps.accounts.flatMap((account) =>
      [metaEndpoint, tweetsEndpoint, predictionEndpoint, signalsEndpoint, lagEndpoint].map((endpoint) =>
        endpoint(streamDeps, account),
      ),
    ),
    overviewEndpoint(streamDeps, scores),
    historyEndpoint(streamDeps, scores),
    calibrationEndpoint(streamDeps, calibration),
    healthEndpoint(vitals, now),
    ...usageEndpoints(deps),
    ...documentEndpoints(deps.accounts),
    ...(deps.hasFeed === false ? [] : [feedEndpoint()]),
  ];
  const line = createPositionRequests(deps.positions);
  const walletDeps = { ...deps, wallets: createWallets({ read: line.read, now }) };
  const slowEndpoints: readonly SlowEndpoint[] = [
    ...portfolioEndpoints(walletDeps),
    ...rebalancingEndpoints(walletDeps),
    waitlistEndpoint({ ...deps, report }),
    ...rendererEndpoints(),
  ];
  const fileEndpoints = dashboardEndpoints(deps);

  const router = new Router({ sensitive: true, strict: true });
  const pasts = new Map(pastEndpoints(deps).map((endpoint) => [endpoint.path, endpoint]));
  for (const endpoint of endpoints) {
    const past = pasts.get(endpoint.path);
    router.get(endpoint.path, (ctx) =>
      past && asksForPast(ctx.querystring)
        ? visit(ctx, { gate, paidAccess }, past, (call, tier) => past.answer(call, tier, ctx))
        : visit(ctx, { gate, paidAccess }, endpoint, (call, tier) => endpoint.answer(call, tier)),
    );
  }
  for (const endpoint of slowEndpoints) {
    router.register(endpoint.path, [endpoint.method], (ctx) =>
      visit(ctx, { gate, paidAccess }, endpoint, (call, tier) => endpoint.answer(call, tier, ctx)),
    );
  }
  for (const file of fileEndpoints) router.get(file.path, (ctx) => visitFile(ctx, gate, file));
  router.use(opsRoutes(vitals, metrics, loop).routes());
  const routes = new Set(router.stack.map(({ path }) => String(path)));

  // Koa's own listener would print what the caller's logs already; the event itself still goes out.
  koa.silent = true;
  const doors = [
    ...[...endpoints, ...fileEndpoints].map((each) => ({ ...each, method: 'GET' as const })),
    ...slowEndpoints,
  ];
  const internal = new Set(doors.filter(({ access }) => access === 'INTERNAL').map(({ path }) => path));
  koa.use(countRequests(routes, metrics.requestServed, recorder));
  koa.use(keepFromPages(internal));
  koa.use(answerErrors);
  koa.use(setHeaders);
  koa.use(router.routes());
  koa.use((ctx, next) => {
    // No endpoint has asked who it is, and what goes nowhere is used by someone too.
    ctx.state.keyId = gate.identify({ access: 'open' }, ctx.req).keyId;
    return next();
  });
  koa.use(refuseUnmatched(router));

  const isElsewhere = (path: string, query: string) => pasts.has(path) && asksForPast(query);
  const hot = createReadyAnswers({
    endpoints,
    isElsewhere,
    gate,
    paidAccess,
    served: metrics.requestServed,
    recorder,
    report,
  });
  const cold = koa.callback();
  const unfinished = new Set<ServerResponse>();
  const stopMetrics = metrics.watchStreams(latest, now);

  return {
    koa,
    doors,
    handle(req, res) {
      if (vitals.isDraining()) res.shouldKeepAlive = false;
      if (hot(req, res)) return;
      unfinished.add(res);
      res.once('close', () => unfinished.delete(res));
      void cold(req, res);
    },
    isDraining: vitals.isDraining,
    beginDrain() {
      vitals.beginDrain();
      for (const res of unfinished) res.shouldKeepAlive = false;
    },
    close() {
      line.close();
      calibration.close();
      watcher.close();
      stopMetrics();
      loop.close();
    },
  };
}
