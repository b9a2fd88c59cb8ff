import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { query } from '../research/export/duckdb.ts';
import { keptLines, record, withStore } from '../research/small-log.ts';
import { eventually } from '../support/eventually.ts';
import { memoryProcess } from './memory-process.ts';

/** A folder to write to, inside the data folder so that it goes with it. */
function folderIn(data: string): string {
  const out = join(data, 'out');
  mkdirSync(out);
  return out;
}

describe('tallywire export', function () {
  this.timeout(120_000);

  it('writes a file and its manifest, while the folder is open for writing', () =>
    withStore(async (store, data) => {
      await record(store, { seconds: 30 });
      const file = join(folderIn(data), 'posts.parquet');
      const proc = memoryProcess();
      const code = await runProgram(['export', 'posts', '--data', data, '-o', file, '--to', 'seq:40'], proc);
      const { rows, sha256, bytes } = JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8'));
      assert.deepEqual(
        [code, proc.texts],
        [0, { stdout: `wrote ${file}: ${rows} rows, ${bytes} bytes, sha256 ${sha256}\n`, stderr: '' }],
      );
      const ids = keptLines(store, 'posts')
        .map((line) => JSON.parse(line))
        .filter(({ seq }) => seq < 40)
        .map(({ record: { id } }) => ({ id }));
      assert.deepEqual(await query(`SELECT id FROM '${file}'`), ids);
    }));

  it('names the file after stream, range and format', () =>
    withStore(async (store, data) => {
      await record(store, { seconds: 10 });
      const before = process.cwd();
      process.chdir(folderIn(data));
      try {
        const upTo = store.outputs.upTo;
        const run = (...args: string[]) => runProgram(['export', ...args, '--data', data], memoryProcess());
        assert.equal(await run('spot', '--from', '2026-01-05', '--to', '2026-01-05T00:00:04.500Z'), 0);
        assert.equal(await run('lag', '--format', 'csv'), 0);
        assert.deepEqual(readdirSync('.').sort(), [
          `lag-seq1-seq${upTo + 1}.csv`,
          `lag-seq1-seq${upTo + 1}.csv.manifest.json`,
          'spot-20260105T000000Z-20260105T000004.500Z.parquet',
          'spot-20260105T000000Z-20260105T000004.500Z.parquet.manifest.json',
        ]);
      } finally {
        process.chdir(before);
      }
    }));

  it('ends with 130 and no file when a signal comes', () =>
    withStore(async (store, data) => {
      await record(store, { seconds: 30 });
      const out = folderIn(data);
      const proc = memoryProcess();
      const ended = runProgram(['export', 'posts', '--data', data, '-o', join(out, 'posts.csv')], proc);
      await eventually('it listens for signals', () => proc.signals.listenerCount('SIGINT') > 0);
      proc.signals.emit('SIGINT');
      assert.equal(await ended, 130);
      assert.deepEqual(
        [proc.texts.stderr, readdirSync(out), proc.signals.listenerCount('SIGINT')],
        ['tallywire: stopped by a signal, nothing was written\n', [], 0],
      );
    }));

  it('refuses what it does not know', async () => {
    const refused = async (...args: string[]) => {
      const proc = memoryProcess();
      return [await runProgram(['export', ...args], proc), proc.texts.stderr];
    };
    const [code, text] = await refused('freshness');
    assert.equal(code, 2);
    assert.match(
      String(text),
      /^tallywire: no stream freshness is kept in data folders, expected one of posts, /,
    );
    for (const args of [['posts', '--from', 'soon'], ['posts', '--format', 'xlsx'], []]) {
      assert.equal((await refused(...args))[0], 2, args.join(' '));
    }
  });
});
