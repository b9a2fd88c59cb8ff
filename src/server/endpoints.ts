import type { UsageReader } from '../access/usage/tracking.ts';
import type { RulesOfKeys } from '../alerts/rules-of-keys.ts';
import type { Positions } from '../sources/positions/position.ts';
import type { Waitlist } from '../store/store.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { AgeLimits } from '../views/as-of.ts';
import type { Latest } from '../views/latest.ts';
import type { Past } from '../views/past.ts';
import { createCalibration } from '../views/performance/calibration.ts';
import { createWatcher } from '../views/watch.ts';
import type { Endpoint, EventEndpoints, FileEndpoint, PlainEndpoint, SlowEndpoint } from './answer.ts';
import { answerForwarded, type Forward, forwarded, forwardedEvents, olderPages } from './forwarded.ts';
import { onceStarted } from './once-started.ts';
import type { Operations } from './operations.ts';
import { asksForPast } from './past/asks-for-past.ts';
import { createPositionRequests } from './portfolio/position-requests.ts';
import { createWallets } from './portfolio/wallets.ts';
import { accountsEndpoint } from './routes/accounts.ts';
import { alertEndpoints } from './routes/alerts.ts';
import { dashboardEndpoints } from './routes/dashboard.ts';
import { documentEndpoints, guideEndpoint } from './routes/documents.ts';
import { feedEndpoint } from './routes/feed.ts';
import { healthEndpoint } from './routes/health.ts';
import { historyEndpoints } from './routes/history.ts';
import { metricsEndpoint } from './routes/operator.ts';
import { pastEndpoints } from './routes/past.ts';
import { calibrationEndpoint, errorHistoryEndpoint, overviewEndpoint } from './routes/performance.ts';
import { portfolioEndpoints } from './routes/portfolio.ts';
import { rebalancingEndpoints } from './routes/rebalancing.ts';
import { cryptoEndpoint, lagEndpoint, metaEndpoint, predictionEndpoint } from './routes/record-endpoints.ts';
import { signalsEndpoint } from './routes/signals.ts';
import { tweetsEndpoint } from './routes/tweets.ts';
import { usageEndpoints } from './routes/usage.ts';
import { waitlistEndpoint } from './routes/waitlist.ts';
import { tagsOfContent, tagsOfProcess } from './tags.ts';

export interface EndpointDeps {
  /** Loaded before the app is made. */
  readonly latest: Latest;
  readonly past: Past;
  readonly accounts: readonly AccountPath[];
  readonly usage: UsageReader;
  readonly waitlist: Waitlist;
  /** The rules of alerts, undefined while they are not open; absent where there are none. */
  readonly rules?: (() => RulesOfKeys | undefined) | undefined;
  readonly operations: Operations;
  /** UTC ms. */
  readonly now: () => number;
  /** Of records of no account: inputs older than this are stale. */
  readonly staleAfterMs: AgeLimits;
  /** New at every start of the process, or that of its cluster. */
  readonly epoch: string;
  /** Whether other processes serve the same records under this epoch, so that a tag means the same to all; false unless given. */
  readonly areTagsShared?: boolean;
  readonly positions: Positions;
  /** For a process that holds no truth: has the past, older posts, wallets and usage answered by one that does. */
  readonly forward?: Forward | undefined;
  /** For a process that holds the truth of its accounts, and not that of callers. */
  readonly forwardUsage?: Forward | undefined;
  /** What is still waited for while only stored values are known; undefined once the rest is, or unless given. */
  readonly starting?: () => string | undefined;
  /** Whether the push feed is served; true unless given. */
  readonly hasFeed?: boolean;
  /** Whether the published keys of the demo are admitted; false unless given. */
  readonly isDemo?: boolean;
  /** Where a reader's browser finds the page of an event, by its slug. */
  readonly marketPages?: string | undefined;
  /** A wallet to try, in the demo. */
  readonly demoWallet?: string | undefined;
  /** Whether metrics are served here, to INTERNAL keys; true unless given. */
  readonly hasMetrics?: boolean;
}

/** Every endpoint, except the probes. */
interface Endpoints {
  /** Answered at once. */
  readonly ready: readonly Endpoint[];
  /** What serves a path of a ready endpoint instead, with this query: one of the past, or of older posts elsewhere. */
  later(path: string, query: string): PlainEndpoint | undefined;
  readonly slow: readonly (SlowEndpoint | FileEndpoint)[];
  /** Those with an event in their path. */
  readonly events: readonly EventEndpoints[];
  /** Answers what other processes forward. */
  readonly answerForwarded: Forward;
  close(): void;
}

/** These show signals, which are not stored. */
const WITH_SIGNALS = [predictionEndpoint, signalsEndpoint];

export function createEndpoints(deps: EndpointDeps, report: (error: unknown) => void): Endpoints {
  const { latest, now } = deps;
  const watcher = createWatcher(latest);
  const tagOf = deps.areTagsShared === true ? tagsOfContent(deps.epoch) : tagsOfProcess(deps.epoch);
  const streamDeps = { ...deps, watcher, tagOf };
  const scores = watcher.watch(({ stream }) => stream === 'scores' || stream === 'models');
  const calibration = createCalibration({
    ...deps,
    scores: watcher.watch(({ stream }) => stream === 'scores'),
    sleepScores: watcher.watch(({ stream }) => stream === 'sleep'),
    report,
  });
  const requests = createPositionRequests(deps.positions);
  const walletDeps = { ...deps, wallets: createWallets({ read: requests.read, now }) };
  const { forward, forwardUsage = forward } = deps;
  const here = (endpoints: readonly PlainEndpoint[]) =>
    endpoints.map((endpoint) => (forward === undefined ? endpoint : forwarded(endpoint, forward)));
  const tweets = deps.accounts.map((account) => tweetsEndpoint(streamDeps, account));
  const usage = usageEndpoints(deps);
  const whenKnown = onceStarted(deps.starting);
  const wallets = here(
    [...portfolioEndpoints(walletDeps), ...rebalancingEndpoints(walletDeps)].map(whenKnown),
  );
  const ownHistory = historyEndpoints(deps);
  const history =
    forward === undefined ? ownHistory : ownHistory.map((events) => forwardedEvents(events, forward));
  const past = new Map(here(pastEndpoints(deps)).map((endpoint) => [endpoint.path, endpoint]));
  const older = new Map(
    deps.accounts.flatMap((account, index) => {
      const endpoint = tweets[index];
      if (endpoint === undefined || forward === undefined) return [];
      return [[endpoint.path, olderPages(endpoint, account, latest, forward)]];
    }),
  );
  const later = (path: string, query: string) =>
    past.has(path) && asksForPast(query) ? past.get(path) : query === '' ? undefined : older.get(path);
  return {
    later,
    answerForwarded: answerForwarded([...tweets, ...usage, ...wallets], history, later),
    ready: [
      ...deps.accounts.map((account) => metaEndpoint(streamDeps, account)),
      ...tweets,
      ...WITH_SIGNALS.flatMap((endpoint) =>
        deps.accounts.map((account) => whenKnown(endpoint(streamDeps, account))),
      ),
      ...deps.accounts.map((account) => lagEndpoint(streamDeps, account)),
      accountsEndpoint(streamDeps),
      cryptoEndpoint(streamDeps),
      overviewEndpoint(streamDeps, scores),
      errorHistoryEndpoint(streamDeps, scores),
      onceStarted(calibration.waitsFor)(calibrationEndpoint(streamDeps, calibration)),
      healthEndpoint(deps.operations, now),
      ...(forwardUsage === undefined ? usage : []),
      guideEndpoint(deps.accounts),
      ...(deps.hasFeed === false ? [] : [whenKnown(feedEndpoint())]),
    ],
    events: history,
    slow: [
      ...dashboardEndpoints(deps),
      ...wallets,
      ...(forwardUsage === undefined ? [] : usage.map((endpoint) => forwarded(endpoint, forwardUsage))),
      ...(deps.rules === undefined ? [] : alertEndpoints({ rules: deps.rules, now })),
      waitlistEndpoint({ ...deps, report }),
      ...documentEndpoints(deps),
      ...(deps.hasMetrics === false ? [] : [metricsEndpoint(deps.operations)]),
    ],
    close() {
      requests.close();
      calibration.close();
      watcher.close();
    },
  };
}
