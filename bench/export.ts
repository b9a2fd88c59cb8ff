import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAtomicFile } from '../src/research/export/atomic-file.ts';
import { exportTable } from '../src/research/export/export.ts';
import { tableOf } from '../src/research/export/table.ts';
import { openStore } from '../src/store/lmdb/open-store.ts';
import type { Store } from '../src/store/store.ts';
import type { OutputOf } from '../streams/internal.ts';
import { predictedBucket, predictionOutput } from '../test/support/outputs.ts';
import { median } from './percentiles.ts';
import { print } from './print.ts';

/** As many rows as in two days. */
const ROWS = 18_000;
const ROUNDS = 5;
const BUCKETS = 26;

/**
 * How fast forecasts, the widest rows, become files. The peer is the least that any export has to do: the same rows as
 * the store holds them, a line of JSON each, written to a file of the same kind. A regression makes researchers wait.
 */
export async function benchExport(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-bench-'));
  const store = await openStore(folder);
  try {
    for (let first = 0; first < ROWS; first += 1_000) {
      await store.outputs.append(
        Array.from({ length: 1_000 }, (_, index) => predictionRow(first + index + 1)),
        first + 1_000,
      );
    }
    const table = tableOf('predictions');
    if (table === undefined) throw new Error('predictions cannot be exported');
    const path = join(folder, 'file');
    const signal = new AbortController().signal;
    const written = (format: 'parquet' | 'ndjson') => () =>
      exportTable(store, { table, format, path, version: 'bench', onProgress: () => undefined, signal });
    const ways = {
      lines: () => writeLines(store, path),
      parquet: written('parquet'),
      ndjson: written('ndjson'),
    };
    const rounds: Record<keyof typeof ways, number>[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const lines = await time(ways.lines);
      const parquet = await time(ways.parquet);
      const ndjson = await time(ways.ndjson);
      // The first round warms up.
      if (round >= 0) rounds.push({ lines, parquet, ndjson });
    }
    for (const format of ['parquet', 'ndjson'] as const) {
      const perSecond = median(rounds.map((round) => ROWS / (round[format] / 1_000)));
      const ratios = rounds.map((round) => round[format] / round.lines);
      print(
        `export of ${ROWS} forecasts as ${format}`,
        `${perSecond.toFixed(0)}/s`,
        'rows a second of CPU; goal 10,000',
      );
      print(
        '  of the time to write the rows as they are kept, the peer',
        `${median(ratios).toFixed(2)} x`,
        `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      );
    }
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** As many buckets as a week's event has; no two rows are alike. */
function predictionRow(seq: number): OutputOf<'predictions'> {
  const count = 100 + (seq % 397);
  const quantiles = (spread: number) =>
    Array.from({ length: 101 }, (_, percent) => count + Math.round(spread * (1 + percent / 40) ** 2));
  const buckets = Array.from({ length: BUCKETS }, (_, index) =>
    predictedBucket({
      lo: index * 20,
      hi: index === BUCKETS - 1 ? null : index * 20 + 19,
      prob: ((seq * 37 + index * 7_919) % 1_000_000) / 1_000_000,
      paceProb: ((seq * 41 + index * 6_421) % 1_000_000) / 1_000_000,
      price: ((seq + index) % 200) / 200,
    }),
  );
  const spreads = { quantiles: quantiles(20 + (seq % 31)), paceQuantiles: quantiles(15 + (seq % 29)) };
  const hash = String(seq).padStart(64, '0123456789abcdef');
  const fields = { eventId: seq % 12, forecastId: `${seq % 12}-${seq}`, count, ...spreads, buckets, hash };
  return predictionOutput(fields, { seq });
}

async function writeLines(store: Store, path: string): Promise<void> {
  const file = await createAtomicFile(path);
  let text = '';
  for (const { json } of store.outputs.read('predictions', 1)) {
    text += `${json}\n`;
    if (text.length < 262_144) continue;
    await file.write(text);
    text = '';
  }
  await file.write(text);
  await file.close();
  await file.publish();
}

/** CPU time in ms, so that other programs on the machine do not count. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchExport();
