import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseConfig } from '../src/config/config.ts';
import { systemClock } from '../src/engine/clock.ts';
import { openEngine } from '../src/engine/engine.ts';
import { MAIN_FEED } from '../src/service/counting-rule.ts';
import { findUpstream } from '../src/service/upstream.ts';
import { createSources } from '../src/sources/sources.ts';
import { diskUse } from '../src/store/disk.ts';
import { openStore } from '../src/store/lmdb/open-store.ts';
import { createLatest } from '../src/views/latest.ts';
import { print } from './print.ts';
import { rankOf } from './rank.ts';

/** The history of the demo is read in this time; afterwards life is ordinary. */
const WARM_UP_MS = 25_000;
const MEASURE_MS = 120_000;

/**
 * The engine's own share in the demo: from the answer of a source until readers can see what came of it.
 * It holds two commits to disk, so the peer is one bare commit of the same store, measured in between.
 */
export async function benchDelivery(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'tallywire-bench-'));
  const config = parseConfig({ flags: { data, port: '0' }, env: {} });
  const store = await openStore(data);
  const found = await findUpstream(config.world);
  const outside = await found.open({ data, notes: store.notes, now: systemClock.wall });
  const deliveries: number[] = [];
  const commits: number[] = [];
  let isMeasuring = false;
  const engine = await openEngine({
    store,
    latest: createLatest(),
    clock: systemClock,
    random: Math.random,
    sources: createSources(outside.endpoints),
    settings: {
      kind: 'settings',
      accounts: config.accounts.map(({ id }) => ({ id, rule: MAIN_FEED })),
      staleAfterMs: config.staleAfterMs,
    },
    retentionDays: config.retentionDays,
    checkpointMs: config.checkpointSeconds * 1_000,
    disk: () => diskUse(data),
    report(report) {
      if (isMeasuring && report.type === 'delivered' && report.facts > 0) deliveries.push(report.ms);
    },
  });
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
    await engine.stop();
    await outside.close();
    await store.close();
    await rm(data, { recursive: true });
  }
  const p99 = rankOf(deliveries, 99);
  const figures = `p50 ${rankOf(deliveries, 50).toFixed(1)} p99 ${p99.toFixed(1)} ms`;
  print(`answer to readable value (${deliveries.length} deliveries)`, figures, 'goal p99 25 ms');
  print(
    '  against one bare commit, the peer',
    `${(rankOf(deliveries, 50) / rankOf(commits, 50)).toFixed(1)} x`,
    `what limits: the disk, p99 ${rankOf(commits, 99).toFixed(1)} ms a commit`,
  );
}
