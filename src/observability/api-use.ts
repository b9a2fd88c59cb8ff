import { Counter, Gauge, type Registry } from 'prom-client';
import { HOUR_MS } from '../../streams/internal.ts';
import type { ApiUse } from '../sources/source.ts';

const DAY_HOURS = 24;

/** Counts what the posts API is asked for, and estimates what that costs. */
export function createApiUse(
  registry: Registry,
  { usdPer1000Reads, now }: { readonly usdPer1000Reads: number; readonly now: () => number },
): (source: string, use: ApiUse) => void {
  const registers = [registry];
  /** Reads by hour since 1970. */
  const hours = new Map<number, number>();
  const readsOfDay = () => {
    const first = Math.floor(now() / HOUR_MS) - DAY_HOURS;
    for (const hour of hours.keys()) if (hour <= first) hours.delete(hour);
    return [...hours.values()].reduce((sum, reads) => sum + reads, 0);
  };
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['source'], registers });
  const requests = counter('tallywire_posts_api_requests_total', 'Requests to the posts API');
  const reads = counter(
    'tallywire_posts_api_reads_total',
    'Posts in the answers of the posts API, those that others refer to included',
  );
  const limitGauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['request'], registers });
  const limit = limitGauge('tallywire_posts_api_limit', 'Requests that the posts API allows in 15 minutes');
  const remaining = limitGauge('tallywire_posts_api_remaining', 'Requests that are left of this limit');
  const dayGauge = (name: string, help: string, figure: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(figure());
      },
    });
  dayGauge('tallywire_posts_api_reads_day', 'Posts read from the posts API in the last 24 h', readsOfDay);
  dayGauge(
    'tallywire_posts_api_usd_day',
    'What these cost at most, at the price that is set',
    () => (readsOfDay() * usdPer1000Reads) / 1_000,
  );

  return (source, use) => {
    const hour = Math.floor(now() / HOUR_MS);
    hours.set(hour, (hours.get(hour) ?? 0) + use.reads);
    requests.inc({ source });
    reads.inc({ source }, use.reads);
    if (use.quota === null) return;
    limit.set({ request: use.request }, use.quota.limit);
    remaining.set({ request: use.request }, use.quota.remaining);
  };
}
