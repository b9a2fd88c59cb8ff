import { HOUR_MS } from '../../streams/internal.ts';
import type { StoreState } from '../observability/health.ts';
import { keepText } from '../observability/kept-text.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createProbes } from '../observability/probes.ts';
import type { Operations } from '../server/operations.ts';
import type { SourceStatus } from '../sources/source.ts';
import { type AccountPath, wireNames } from '../views/account-path.ts';
import { areEventsKnown } from '../views/active-events.ts';
import { agesNow, staleSources } from '../views/as-of.ts';
import { historyPercent } from '../views/history.ts';
import type { Latest } from '../views/latest.ts';
import type { Shutdown } from './shutdown.ts';

/** An odd post is told once, and may be in every answer afterwards. */
const REFUSAL_SHOWN_MS = HOUR_MS;

interface OperationsDeps {
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
  readonly metrics: Metrics;
  readonly sources: () => readonly SourceStatus[];
  /** What is still waited for while only stored values are served; undefined once the engine runs, or unless given. */
  readonly starting?: () => string | undefined;
  readonly store: () => StoreState;
  readonly writesHeldMs: () => number;
  /** What is wrong with the time; undefined when nothing is. */
  readonly clockFault?: () => string | undefined;
  /** UTC ms. */
  readonly now: () => number;
}

/** Metrics take milliseconds to collect. Those who ask within a second get the same. */
const METRICS_KEPT_MS = 1_000;

/** The probes and metrics that the server shows. */
export function openOperations(deps: OperationsDeps, shutdown: Shutdown): Operations {
  const { latest, metrics, store, writesHeldMs, starting = () => undefined, now } = deps;
  const ages = () => agesNow(latest, now());
  const { accounts } = deps;
  const wireName = wireNames(accounts);
  const { health, isReady, isLive, close } = createProbes({
    latest,
    ages,
    accounts,
    staleSources: () => staleSources(latest, wireName),
    refusingSources: () =>
      deps
        .sources()
        .filter(({ refusedAt }) => refusedAt !== null && Math.abs(now() - refusedAt) < REFUSAL_SHOWN_MS)
        .map(({ name }) => wireName(name)),
    areEventsKnown: () => areEventsKnown(latest, 'posts', now()),
    isStarting: () => starting() !== undefined,
    historyPercent: (account) => historyPercent(latest, account, now()),
    store,
    writesHeldMs,
    clockFault: deps.clockFault ?? (() => undefined),
    now,
  });
  metrics.watchWrites(writesHeldMs);
  const unwatch = metrics.watchStreams({ latest, ages, now });
  shutdown.add(async () => {
    unwatch();
    close();
  });
  const text = keepText(metrics.text, METRICS_KEPT_MS);
  return {
    health,
    isReady,
    unready: starting,
    isLive,
    metrics: async () => ({ contentType: metrics.contentType, text: await text() }),
    requestServed: metrics.requestServed,
  };
}
