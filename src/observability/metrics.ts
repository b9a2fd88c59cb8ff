import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FeedFigures } from '../feed/figures.ts';
import { createLoopYield } from '../resilience/loop-yield.ts';
import type { UnsentFigures } from '../server/answers-in-turn.ts';
import type { ApiUse, SourceStatus } from '../sources/source.ts';
import { createApiUse } from './api-use.ts';
import { type ClusterFigures, watchCluster } from './cluster-metrics.ts';
import { type EdgeFigures, watchEdge } from './edge-metrics.ts';
import { watchFeed } from './feed-metrics.ts';
import { createHttpDurations } from './http-durations.ts';
import { processMetrics } from './process-metrics.ts';
import { watchSources } from './source-metrics.ts';
import { type StreamFigures, watchStreams } from './stream-metrics.ts';
import { watchUnsent } from './unsent-metrics.ts';

/** The figures that an operator scrapes. Reporting a figure is cheap and never throws. */
export interface Metrics {
  readonly contentType: string;
  journalCommitted(ms: number): void;
  outputsCommitted(ms: number): void;
  /** The time from a source's answer until readers see its outputs. */
  delivered(ms: number): void;
  /** What a request of a source to the posts API cost. */
  apiUsed(source: string, use: ApiUse): void;
  /** Worker time of a fit or a forecast. */
  simulated(request: string, ms: number): void;
  diskUsed(storeBytes: number, freeBytes: number): void;
  /** When damage to the store was repaired last, UTC ms; 0 for never. */
  storeRepaired(at: number): void;
  paid(outcome: string): void;
  /** Payments that were settled while their reply was never sent. */
  unsentReplies(count: number): void;
  /** Payments of which it could not be found out whether they were settled. */
  unresolvedPayments(count: number): void;
  /** A try to deliver an alert. */
  alertTold(outcome: string): void;
  requestServed(route: string, status: number, ms: number): void;
  /** `read` is called at each scrape and tells for how many ms nothing could be stored. */
  watchWrites(read: () => number): void;
  /** `read` is called at each scrape. */
  watchSources(read: () => readonly SourceStatus[]): void;
  /** Source ages, lags and the delay of new posts. Call the result to stop watching. */
  watchStreams(figures: StreamFigures): () => void;
  /** `read` is called at each scrape. */
  watchFeed(read: () => FeedFigures): void;
  /** `read` is called at each scrape. */
  watchUnsent(read: () => UnsentFigures): void;
  /** `read` is called at each scrape. */
  watchCluster(read: () => ClusterFigures): void;
  /** `read` is called at each scrape. */
  watchEdge(read: () => EdgeFigures): void;
  text(): Promise<string>;
}

interface MetricsOptions {
  /** What 1,000 posts read from the posts API cost, in USD. */
  readonly usdPer1000Reads?: number;
  /** UTC ms. */
  readonly now?: () => number;
}

/** From a fast local disk to a stall that needs an operator. */
const COMMIT_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** From a single forecast to a fit of years of posts. */
const SIMULATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Has its own registry, and tells the figures of the process too. */
export function createMetrics({ usdPer1000Reads = 0, now = Date.now }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const ofProcess = processMetrics();
  const durations = createHttpDurations();
  const commits = (name: string, help: string) =>
    new Histogram({ name, help, buckets: COMMIT_BUCKETS_S, registers: [registry] });
  const journal = commits('tallywire_journal_commit_seconds', 'Time until a turn of the log was on disk');
  const outputs = commits('tallywire_output_commit_seconds', 'Time until the outputs of a turn were on disk');
  const deliveries = commits(
    'tallywire_delivery_seconds',
    'Time from the answer of a source until readers see what came of it',
  );
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const storeSize = gauge('tallywire_store_bytes', 'Size of the store on disk');
  const diskFree = gauge(
    'tallywire_disk_free_bytes',
    'What may still be written to the disk of the data folder',
  );

  const repaired = gauge(
    'tallywire_store_repaired_timestamp_seconds',
    'When damage to the store was repaired last, 0 for never',
  );
  let heldMs = () => 0;
  new Gauge({
    name: 'tallywire_writes_held_seconds',
    help: 'For how long the disk has not taken what is to be stored; 0 while it does',
    registers: [registry],
    collect() {
      this.set(heldMs() / 1_000);
    },
  });

  const simulations = new Histogram({
    name: 'tallywire_simulation_seconds',
    help: 'Worker time of a fit or a forecast',
    labelNames: ['request'],
    buckets: SIMULATION_BUCKETS_S,
    registers: [registry],
  });

  const payments = new Counter({
    name: 'tallywire_payments_total',
    help: 'Paid calls by how they ended',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const unsent = gauge(
    'tallywire_payments_unsent',
    'Payments that were settled while their reply never left',
  );
  const unresolved = gauge(
    'tallywire_payments_unresolved',
    'Payments of which it could not be found out whether they were settled',
  );

  const alerts = new Counter({
    name: 'tallywire_alerts_total',
    help: 'Tries to deliver an alert by how they ended',
    labelNames: ['outcome'],
    registers: [registry],
  });

  return {
    contentType: registry.contentType,
    journalCommitted: (ms) => journal.observe(ms / 1_000),
    outputsCommitted: (ms) => outputs.observe(ms / 1_000),
    delivered: (ms) => deliveries.observe(ms / 1_000),
    apiUsed: createApiUse(registry, { usdPer1000Reads, now }),
    simulated: (request, ms) => simulations.observe({ request }, ms / 1_000),
    diskUsed(storeBytes, freeBytes) {
      storeSize.set(storeBytes);
      diskFree.set(freeBytes);
    },
    storeRepaired: (at) => repaired.set(at / 1_000),
    paid: (outcome) => payments.inc({ outcome }),
    unsentReplies: (count) => unsent.set(count),
    unresolvedPayments: (count) => unresolved.set(count),
    alertTold: (outcome) => alerts.inc({ outcome }),
    requestServed: durations.observe,
    watchWrites(read) {
      heldMs = read;
    },
    watchSources: (read) => watchSources(registry, read),
    watchStreams: (figures) => watchStreams(registry, figures),
    watchFeed: (read) => watchFeed(registry, read),
    watchUnsent: (read) => watchUnsent(registry, read),
    watchCluster: (read) => watchCluster(registry, read),
    watchEdge: (read) => watchEdge(registry, read),
    text: async () => `${await textOf(ofProcess)}\n\n${await textOf(registry)}\n\n${durations.text()}`,
  };
}

/** Metric by metric, as with many accounts they are too many to write while requests wait. */
async function textOf(registry: Registry): Promise<string> {
  const loop = createLoopYield();
  const texts: string[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    texts.push(await registry.getSingleMetricAsString(name));
    if (loop.isDue()) await loop.yield();
  }
  return texts.join('\n\n');
}
