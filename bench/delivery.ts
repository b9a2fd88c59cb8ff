import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseConfig } from '../src/config/config.ts';
import { systemClock } from '../src/engine/clock.ts';
import type { EngineReport } from '../src/engine/engine.ts';
import { startEngine } from '../src/service/engine.ts';
import { createShutdown } from '../src/service/shutdown.ts';
import { reachUpstream } from '../src/service/upstream.ts';
import { openStore } from '../src/store/lmdb/open-store.ts';
import { createLatest } from '../src/views/latest.ts';
import { median, rankOf } from './percentiles.ts';
import { print } from './print.ts';

/** In this time the demo reads its history; afterwards the load is normal. */
const WARM_UP_MS = 25_000;
const MEASURE_MS = 120_000;

/**
 * The engine's own delay in the demo, from the answer of a source until readers can see its effect. It includes two
 * commits to disk, so the peer is one bare commit of the same store, measured in between.
 */
export async function benchDelivery(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'tallywire-bench-'));
  const config = parseConfig({ flags: { data, port: '0' }, env: {} });
  const store = await openStore(data);
  const shutdown = createShutdown();
  shutdown.add(() => store.close());
  const reachable = await reachUpstream(config);
  const upstream = await reachable.open({ data, notes: store.notes, now: systemClock.wall });
  shutdown.add(() => upstream.close());
  const deliveries: number[] = [];
  const commits: number[] = [];
  let isMeasuring = false;
  const parts = {
    config,
    store,
    latest: createLatest(store.outputs),
    clock: systemClock,
    endpoints: upstream.endpoints,
  };
  const report = (each: EngineReport) => {
    if (isMeasuring && each.type === 'delivered' && each.facts > 0) deliveries.push(each.ms);
  };
  await startEngine({ ...parts, agreedNow: systemClock.wall, report }, shutdown);
  try {
    await delay(WARM_UP_MS);
    isMeasuring = true;
    for (let elapsed = 0; elapsed < MEASURE_MS; elapsed += 500) {
      await delay(500);
      const startedAt = performance.now();
      await store.notes.set('bench', String(startedAt));
      commits.push(performance.now() - startedAt);
    }
  } finally {
    await shutdown.run();
    await rm(data, { recursive: true });
  }
  const p99 = rankOf(deliveries, 99);
  const figures = `p50 ${median(deliveries).toFixed(1)} p99 ${p99.toFixed(1)} ms`;
  print(`answer to readable value (${deliveries.length} deliveries)`, figures, 'goal p99 25 ms');
  print(
    '  against one bare commit, the peer',
    `${(median(deliveries) / median(commits)).toFixed(1)} x`,
    `what limits: the disk, p99 ${rankOf(commits, 99).toFixed(1)} ms a commit`,
  );
}
