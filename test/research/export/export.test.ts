import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Exported, type ExportOptions, exportTable } from '../../../src/research/export/export.ts';
import { LOG, TABLE_NAMES, tableOf } from '../../../src/research/export/table.ts';
import type { Store } from '../../../src/store/store.ts';
import { KEPT_STREAMS, type Output } from '../../../streams/internal.ts';
import {
  bucket,
  countersOutput,
  decisionOutput,
  eventOutput,
  failureOutput,
  lagOutput,
  minuteBucket,
  minuteOutput,
  modelOutput,
  NOON,
  postOutput,
  predictedBucket,
  predictionOutput,
  priceOutput,
  score,
  scoreOutput,
  sleepOutput,
  spotOutput,
  velocityOutput,
  voidOutput,
} from '../../support/outputs.ts';
import { keptLines, record, START_AT, withStore } from '../small-log.ts';
import { query } from './duckdb.ts';

/** At least one output of every kept stream, with what is null and what is not. */
const OUTPUTS: readonly Output[] = [
  postOutput({ text: 'a "quoted", line\r\nand\nanother; ünïcödé 🙂' }),
  postOutput({ id: '101', text: '', deletedAt: NOON }),
  postOutput({ id: '102', isReply: null, isQuote: null, via: 'oracle_list', oracleAt: NOON }),
  eventOutput({ buckets: [bucket(), bucket({ lo: 20, hi: null, won: true })] }),
  eventOutput({
    eventId: 2,
    subject: { type: 'crypto', symbol: 'BTC', kind: 'RANGE', referencePrice: 65_000.5 },
    startAt: null,
    trackingId: null,
    buckets: [],
  }),
  countersOutput({ oracle: null, settlementDelta: null, stale: ['oracle', 'ui'] }),
  velocityOutput(),
  priceOutput(),
  priceOutput({ bid: null, ask: null, price: null, priceKind: null }),
  minuteOutput({ buckets: [minuteBucket(), minuteBucket({ lo: 20, hi: null, volume: null, prob: null })] }),
  minuteOutput({ real: null, oracle: null, forecastId: null, buckets: [] }),
  lagOutput({ ui: { n: 2, p50: 90_000.5, p90: 91_000, p99: 91_000 } }),
  spotOutput(),
  predictionOutput({
    buckets: [predictedBucket(), predictedBucket({ lo: 20, hi: null, price: null, priceKind: null })],
    moved: [{ cause: 'clock', p50: -1 }],
  }),
  predictionOutput({ horizonHours: 24, origin: 'history', flipRisk: null }),
  scoreOutput(),
  scoreOutput({
    horizonHours: 48,
    own: score(),
    settlement: { offset: -1, p50: 0, crps: 0.25, isCovered: true },
  }),
  sleepOutput(),
  scoreOutput({ eventId: 3, market: score({ crps: null, isCovered: null, pit: null }), top: null }),
  voidOutput({ eventId: 4 }),
  modelOutput(),
  decisionOutput(),
  failureOutput(),
];

function exported(store: Store, name: string, options: Partial<ExportOptions> = {}): Promise<Exported> {
  const table = tableOf(name);
  assert.ok(table, name);
  return exportTable(store, {
    table,
    format: 'parquet',
    version: '1.2.3',
    onProgress: () => undefined,
    signal: new AbortController().signal,
    ...options,
  });
}

const lines = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** As a CSV reader knows them: all text, lists as JSON. */
const asText = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isNested = typeof value === 'object' && value !== null;
      return [name, value === null ? null : isNested ? JSON.stringify(value) : String(value)];
    }),
  );

/** Read as RFC 4180 says, and not as the texts in it may look. */
const csvAt = (path: string) =>
  `read_csv('${path}', header = true, all_varchar = true, allow_quoted_nulls = false, delim = ',', quote = '"', escape = '"', comment = '')`;

describe('exportTable', function () {
  this.timeout(120_000);

  it('has a table for every kept stream and for the log', () => {
    assert.deepEqual(TABLE_NAMES, [...KEPT_STREAMS, LOG]);
    for (const name of TABLE_NAMES) assert.equal(tableOf(name)?.name, name);
    for (const name of ['signals', 'freshness', 'toString', '']) assert.equal(tableOf(name), undefined);
  });

  it('is read by another reader as it was emitted, whatever the format', () =>
    withStore(async (store, folder) => {
      await store.outputs.append(OUTPUTS, 1);
      await record(store, { seconds: 0 });
      for (const name of KEPT_STREAMS) {
        const path = join(folder, name);
        await exported(store, name, { path: `${path}.parquet` });
        await exported(store, name, { path: `${path}.ndjson`, format: 'ndjson' });
        await exported(store, name, { path: `${path}.csv`, format: 'csv' });
        const rows = lines(`${path}.ndjson`);
        assert.ok(rows.length > 0, name);
        assert.deepEqual(await query(`SELECT * FROM '${path}.parquet'`), rows);
        const csv = csvAt(`${path}.csv`);
        assert.deepEqual(await query(`SELECT * FROM ${csv}`), rows.map(asText));
      }
    }));

  it('gives times, position and fields of a record under snake_case names', () =>
    withStore(async (store, folder) => {
      await store.outputs.append(OUTPUTS, 1);
      const path = join(folder, 'forecasts.parquet');
      await exported(store, 'predictions', { path });
      const [row] = await query(`SELECT * FROM '${path}' LIMIT 1`);
      assert.deepEqual(
        { ...row, quantiles: undefined, pace_quantiles: undefined, own_quantiles: undefined },
        {
          seq: 1,
          received_ts: NOON,
          event_ts: NOON - 2_000,
          cause: 'clock',
          key: '1',
          forecast_id: '1-7',
          event_id: 1,
          account: 'a',
          origin: 'live',
          horizon_hours: null,
          model_version: 'pool-1+470000',
          seed: 5,
          asked_seq: 7,
          made_ts: NOON - 2_000,
          start_ts: NOON - 86_400_000,
          end_ts: NOON + 86_400_000,
          count: 13,
          p5: 18,
          p50: 63,
          p95: 108,
          quantiles: undefined,
          pace_p50: 53,
          pace_quantiles: undefined,
          own_p50: 63,
          own_quantiles: undefined,
          oracle: 12,
          offset_p5: -2,
          offset_p50: 0,
          offset_p95: 0,
          offset_least: -2,
          offset_probs: [0.1, 0.2, 0.7],
          so_far_least: 12,
          so_far_probs: [0.3, 0.7],
          buckets: [
            { lo: 0, hi: 19, prob: 0.25, pace_prob: 0.2, own_prob: 0.24, price: 0.2, price_kind: 'mid' },
            { lo: 20, hi: null, prob: 0.25, pace_prob: 0.2, own_prob: 0.24, price: null, price_kind: null },
          ],
          sleep_probability: 0.123456,
          flip_risk: 0.01,
          moved: [{ cause: 'clock', p50: -1 }],
          hash: 'h',
        },
      );
      const types = await query(`DESCRIBE SELECT seq, received_ts, p50, quantiles, flip_risk FROM '${path}'`);
      assert.deepEqual(
        types.map(({ column_type }) => column_type),
        ['BIGINT', 'BIGINT', 'BIGINT', 'BIGINT[]', 'DOUBLE'],
      );
    }));

  it('keeps any text in every format', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 40 }), (texts) =>
        withStore(async (store, folder) => {
          const emitted = texts.map((text, id) => postOutput({ id: String(id), text }));
          await store.outputs.append(emitted, 1);
          const path = join(folder, 'posts');
          await exported(store, 'posts', { path: `${path}.parquet` });
          await exported(store, 'posts', { path: `${path}.csv`, format: 'csv' });
          const csv = csvAt(`${path}.csv`);
          for (const from of [`'${path}.parquet'`, csv]) {
            assert.deepEqual(
              (await query(`SELECT text FROM ${from}`)).map(({ text }) => text),
              texts,
            );
          }
        }),
      ),
      { numRuns: 8, examples: [[[",'", ',#', '']]] },
    ));

  it('takes the rows of the asked observations, by seq or by time', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 40 });
      const path = join(folder, 'part.ndjson');
      const take = async (options: Partial<ExportOptions>) => {
        await exported(store, 'counters', { path, format: 'ndjson', ...options });
        return lines(path).map(({ seq }) => seq);
      };
      const kept = keptLines(store, 'counters').map((line) => JSON.parse(line));
      const between = { from: { by: 'seq', seq: 20 }, to: { by: 'seq', seq: 60 } } as const;
      assert.deepEqual(
        await take(between),
        kept.map(({ seq }) => seq).filter((seq) => seq >= 20 && seq < 60),
      );
      const timed = {
        from: { by: 'time', at: START_AT + 4_500 },
        to: { by: 'time', at: START_AT + 15_000 },
      } as const;
      const wanted = kept.filter(({ at }) => at >= START_AT + 4_500 && at < START_AT + 15_000);
      assert.ok(wanted.length > 3);
      assert.deepEqual(
        await take(timed),
        wanted.map(({ seq }) => seq),
      );
      assert.deepEqual(await take({ from: { by: 'time', at: START_AT + 86_400_000 } }), []);
    }));

  it('exports the log, with what each fact was', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 10, unstored: 2 });
      const path = join(folder, 'log.parquet');
      await exported(store, LOG, { path });
      const rows = await query(`SELECT * FROM '${path}' ORDER BY seq`);
      assert.deepEqual(
        rows.map(({ seq, received_ts, kind, fact }) => ({
          seq,
          received_ts,
          kind,
          fact: JSON.parse(String(fact)),
        })),
        [...store.journal.read(1)].map(({ seq, receivedAt, fact }) => ({
          ...{ seq, received_ts: receivedAt, kind: fact.kind },
          fact,
        })),
      );
    }));

  it('describes the file in its manifest, and gives the same bytes again', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 30 });
      const places = ['one', 'two'].map((name) => join(folder, name, 'posts.parquet'));
      const texts = [];
      for (const path of places) {
        mkdirSync(join(path, '..'));
        const to = { by: 'seq', seq: 50 } as const;
        const { manifestPath } = await exported(store, 'posts', { path, to });
        texts.push([readFileSync(path, 'base64'), readFileSync(manifestPath, 'utf8')]);
      }
      assert.deepEqual(texts[0], texts[1]);
      const bytes = readFileSync(places[0] ?? '');
      const { columns, ...manifest } = JSON.parse(texts[0]?.[1] ?? '');
      const seqs = keptLines(store, 'posts').map((line) => JSON.parse(line).seq);
      const kept = seqs.filter((seq) => seq < 50);
      assert.deepEqual(manifest, {
        stream: 'posts',
        schema_version: 2,
        format: 'parquet',
        file: 'posts.parquet',
        rows: kept.length,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        from: null,
        to: 'seq:50',
        from_seq: 1,
        to_seq: 50,
        first_seq: kept[0],
        last_seq: kept.at(-1),
        tallywire_version: '1.2.3',
        graph_version: store.checkpoints.list().at(-1)?.graphVersion,
      });
      const described = await query(`DESCRIBE SELECT * FROM '${places[0]}'`);
      assert.deepEqual(
        columns.map(({ name }: { name: string }) => name),
        described.map(({ column_name }) => column_name),
      );
    }));

  it('writes a long history in groups of rows', () =>
    withStore(async (store, folder) => {
      const text = 'long '.repeat(40_000);
      const emitted = Array.from({ length: 60 }, (_, n) =>
        postOutput({ id: String(n), text, seenAt: n }, { seq: n + 1 }),
      );
      await store.outputs.append(emitted, emitted.length);
      const path = join(folder, 'posts.parquet');
      await exported(store, 'posts', { path });
      const groups = await query(`SELECT num_row_groups AS n FROM parquet_file_metadata('${path}')`);
      assert.ok(Number(groups[0]?.n) > 1);
      assert.deepEqual(
        await query(
          `SELECT count(*) AS n, sum(seen_ts) AS sum, max(seq) AS last, min(text) = max(text) AS same FROM '${path}'`,
        ),
        [
          {
            n: emitted.length,
            sum: (emitted.length * (emitted.length - 1)) / 2,
            last: emitted.length,
            same: true,
          },
        ],
      );
    }));

  it('keeps lists of any integers, empty ones and nulls inside', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.maxSafeInteger(), { maxLength: 9 }), { minLength: 1, maxLength: 9 }),
        fc.array(fc.option(fc.integer({ min: 0, max: 60 })), { maxLength: 9 }),
        (lists, his) =>
          withStore(async (store, folder) => {
            const buckets = his.map((hi, lo) => predictedBucket({ lo, hi }));
            const emitted = lists.map((quantiles, n) =>
              predictionOutput({ quantiles, buckets }, { seq: n + 1 }),
            );
            await store.outputs.append(emitted, emitted.length);
            const path = join(folder, 'forecasts.parquet');
            await exported(store, 'predictions', { path });
            const rows = await query(`SELECT quantiles, buckets FROM '${path}' ORDER BY seq`);
            assert.deepEqual(
              rows.map(({ quantiles }) => quantiles),
              lists,
            );
            const wanted = his.map((hi, lo) => ({ lo, hi }));
            for (const { buckets: found } of rows) {
              assert.deepEqual(
                (found as { lo: number; hi: number | null }[]).map(({ lo, hi }) => ({ lo, hi })),
                wanted,
              );
            }
          }),
      ),
      { numRuns: 12 },
    ));

  it('leaves nothing behind when it is stopped, and leaves existing files unchanged', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 10 });
      const out = join(folder, 'out');
      mkdirSync(out);
      const path = join(out, 'posts.csv');
      writeFileSync(path, 'mine');
      const stop = new AbortController();
      const running = exported(store, 'posts', { path, format: 'csv', signal: stop.signal });
      stop.abort();
      await assert.rejects(running, { name: 'AbortError' });
      assert.deepEqual([readdirSync(out), readFileSync(path, 'utf8')], [['posts.csv'], 'mine']);
    }));

  it('names the reason when it cannot write', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 3 });
      const refused = (path: string, message: RegExp) =>
        assert.rejects(exported(store, 'posts', { path }), { code: 'EXPORT_FILE', message });
      await refused(join(folder, 'no', 'such', 'posts'), /cannot write .*: no folder to write to$/);
      mkdirSync(join(folder, 'posts'));
      await refused(join(folder, 'posts'), /cannot write .*: it is a folder$/);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes('part')),
        [],
      );
    }));

  it('SKIPPED WHEN NO DISK CAN BE MOUNTED: leaves nothing behind on a full disk', function () {
    return withStore(async (store, folder) => {
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'pipe' });
      } catch (error) {
        assert.ok(process.env.CI !== 'true' || process.getuid?.() !== 0, `no disk to fill: ${error}`);
        this.skip();
      }
      try {
        const text = Array.from({ length: 9_000 }, (_, n) => String(Math.sin(n))).join();
        await store.outputs.append([postOutput({ text })], 1);
        for (const format of ['parquet', 'csv'] as const) {
          await assert.rejects(exported(store, 'posts', { path: join(disk, 'posts'), format }), {
            code: 'EXPORT_FILE',
            message: /the disk is full$/,
          });
        }
        assert.deepEqual(readdirSync(disk), []);
      } finally {
        execFileSync('umount', [disk]);
      }
    });
  });
});
