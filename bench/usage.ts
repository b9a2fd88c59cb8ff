import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createUsageTracking, type UsageTracking } from '../src/access/usage/tracking.ts';
import { openStore } from '../src/store/lmdb/open-store.ts';
import type { UsagePage, UsageStore } from '../src/store/store.ts';
import { DAY_MS, HOUR_MS } from '../streams/internal.ts';
import { start } from '../test/server/start.ts';
import { countersOutput, eventOutput, FRESH_AGES, freshnessOutput } from '../test/support/outputs.ts';
import { measureInTurns } from './cpu-per-request.ts';
import { median } from './percentiles.ts';
import { print } from './print.ts';

const ROUNDS = 45;
const DAYS = 90;
const ENDPOINTS = 20;
const HEAD = 'GET /api/v1/meta/account_a HTTP/1.1\r\nHost: localhost\r\nX-API-Key: demo_pro\r\n\r\n';

/**
 * What it costs to record usage, as CPU time per hot GET with and without it, accounting and storing included;
 * and how long the answers over 90 days take. A regression means that usage slows down callers, or that sums
 * are scanned instead of stored.
 */
export async function benchUsage(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-usage-'));
  const store = await openStore(folder);
  const tracking = trackingOn(store.usage);
  try {
    await benchRecording(tracking);
    await benchAnswers(store.usage, tracking);
  } finally {
    await tracking.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

function trackingOn(store: UsageStore): UsageTracking {
  const report = (error: unknown) => process.emitWarning(String(error));
  return createUsageTracking({ store, now: Date.now, retentionDays: DAYS, report });
}

async function benchRecording(tracking: UsageTracking): Promise<void> {
  const events = [1, 2, 3].flatMap((eventId) => [eventOutput({ eventId }), countersOutput({ eventId })]);
  const loaded = [...events, freshnessOutput(FRESH_AGES)];
  const without = () => start({ loaded, deps: { recorder: { record: () => undefined } } });
  // Two without: the difference between them is noise.
  const servers = [await without(), await without(), await start({ loaded, deps: { recorder: tracking } })];
  tracking.start();
  const loads = servers.map(({ url }) => ({ port: Number(new URL(url).port), head: HEAD }));
  const costsUs = await measureInTurns(loads, ROUNDS);
  await Promise.all(servers.map(({ stop }) => stop()));
  const [bare = [], again = [], recorded = []] = costsUs;
  const more = (costs: readonly number[]) =>
    median(costs.map((costUs, round) => (2 * costUs) / ((bare[round] ?? 0) + (again[round] ?? 0)))) - 1;
  const noise = median(again.map((costUs, round) => costUs / (bare[round] ?? Number.NaN))) - 1;
  const bareUs = median([...bare, ...again]);
  print('recording usage, cost of a hot GET', percent(more(recorded)), `goal 3 %; noise ${percent(noise)}`);

  const directUs = recordDirectly(tracking);
  print(
    'recording and accounting alone',
    `${(directUs * 1_000).toFixed(0)} ns`,
    `${percent(directUs / bareUs)} of a hot GET of ${bareUs.toFixed(1)} us`,
  );
}

/** Microseconds for a request to be recorded and added up, without the server around it. */
function recordDirectly(tracking: UsageTracking): number {
  const rounds: number[] = [];
  const endpoints = Array.from({ length: ENDPOINTS }, (_, n) => `/api/v1/route-${n}`);
  const { capacity } = tracking.stats();
  for (let round = 0; round < 50; round++) {
    const before = process.cpuUsage();
    for (let n = 0; n < capacity; n++) {
      tracking.record(endpoints[n % ENDPOINTS] ?? '', 'GET', 200, 0.05, 2_000, 'demo-pro');
    }
    tracking.sum('demo-pro', 0, 0);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / capacity);
  }
  return median(rounds);
}

async function benchAnswers(store: UsageStore, tracking: UsageTracking): Promise<void> {
  const now = Date.now();
  const thisHour = Math.floor(now / HOUR_MS);
  const pages: UsagePage[] = [];
  for (let hour = thisHour - DAYS * 24; hour < thisHour; hour++) pages.push(pageOf('hour', hour));
  for (let day = Math.floor(now / DAY_MS) - DAYS; day < Math.floor(now / DAY_MS); day++) {
    pages.push(pageOf('day', day));
  }
  await store.write(pages, []);

  const [sums, scans] = [[], []] as [number[], number[]];
  for (let round = 0; round < 30; round++) {
    sums.push(
      timed(() => tracking.sum('k', Math.floor((now - DAYS * DAY_MS) / 1_000), Math.floor(now / 1_000))),
    );
    scans.push(
      timed(() => {
        for (let hour = thisHour - DAYS * 24; hour < thisHour; hour++) store.page('k', 'hour', hour);
      }),
    );
  }
  print(
    `usage by endpoint over ${DAYS} days of ${ENDPOINTS} endpoints`,
    `${median(sums).toFixed(2)} ms`,
    `at most ${Math.max(...sums).toFixed(1)} ms; to read every hour takes ${median(scans).toFixed(1)} ms`,
  );
}

function pageOf(span: 'hour' | 'day', index: number): UsagePage {
  const rows = Array.from({ length: ENDPOINTS }, (_, n) => ({
    endpoint: `/api/v1/route-${n}`,
    method: 'GET',
    second: 0,
    requests: 1_000 + n,
    errors: n,
    ms: 123.456,
    bytes: 2_000_000,
  }));
  return { keyId: 'k', span, index, rows };
}

function timed(act: () => unknown): number {
  const startedMs = performance.now();
  act();
  return performance.now() - startedMs;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchUsage();
