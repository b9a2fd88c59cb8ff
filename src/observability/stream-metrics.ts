import { Gauge, Histogram, type Registry } from 'prom-client';
import type { SourceName } from '../../streams/internal.ts';
import type { Latest } from '../views/latest.ts';

/** Finest around the expected delay of a post (spec 1). */
const SEEN_BUCKETS_S = [1, 2, 5, 8, 10, 12, 15, 20, 30, 60, 300, 1_800];

export interface StreamFigures {
  readonly latest: Latest;
  /** Per source, ms since its last good answer. */
  readonly ages: () => Readonly<Record<SourceName, number>>;
  readonly now: () => number;
}

/** Reads ages and lags at each scrape, and observes every new post. Call the result to stop observing. */
export function watchStreams(registry: Registry, { latest, ages, now }: StreamFigures): () => void {
  const startedAt = now();
  const registers = [registry];
  new Gauge({
    name: 'tallywire_source_age_seconds',
    help: 'How old the knowledge of a source is: for most the time since its last good answer',
    labelNames: ['source'],
    registers,
    collect() {
      this.reset();
      for (const [source, ageMs] of Object.entries(ages())) {
        this.set({ source }, ageMs / 1_000);
      }
    },
  });
  new Gauge({
    name: 'tallywire_post_lag_seconds',
    help: 'Time from creation of a post until it was seen, settled on and shown, over 24 h',
    labelNames: ['account', 'stage', 'quantile'],
    registers,
    collect() {
      this.reset();
      for (const { record } of latest.all('lag')) {
        for (const stage of ['seen', 'oracle', 'ui'] as const) {
          const { p50, p90, p99 } = record[stage];
          for (const [quantile, ms] of Object.entries({ '0.5': p50, '0.9': p90, '0.99': p99 })) {
            if (ms !== null) this.set({ account: record.account, stage, quantile }, ms / 1_000);
          }
        }
      }
    },
  });
  const seen = new Histogram({
    name: 'tallywire_post_seen_delay_seconds',
    help: 'Time from creation of a new post until it was seen',
    labelNames: ['account'],
    buckets: SEEN_BUCKETS_S,
    registers,
  });
  const subscription = latest.change$.subscribe((outputs) => {
    for (const output of outputs) {
      if (output.stream !== 'posts' || output.cause !== 'new_post') continue;
      const { account, seenAt, createdAt } = output.record;
      // An older post was read as history; it was not seen late.
      if (createdAt > startedAt) seen.observe({ account }, (seenAt - createdAt) / 1_000);
    }
  });
  return () => subscription.unsubscribe();
}
