import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { backtestCommand } from '../../../src/cli/backtest.ts';
import { memoryProcess } from '../../cli/memory-process.ts';
import { DAY_MS, FIRST_AT, syntheticPosts } from '../../streams/model/forecast/synthetic.ts';
import { postsCsv, useFolder } from './folder.ts';

describe('backtest command', function () {
  this.timeout(120_000);
  const folder = useFolder();

  it('writes rows, scores and a page, and prints a table', async () => {
    const posts = await folder.write('posts.csv', postsCsv(syntheticPosts(68)));
    const outputs = ['rows', 'json', 'report'].flatMap((name) => [`--${name}`, folder.path(name)]);
    const from = String(FIRST_AT + 58 * DAY_MS);
    const proc = memoryProcess();
    const args = ['--posts', posts, '--windows', '2d', '--every', '1d', '--from', from, ...outputs];
    await backtestCommand(proc, () => {}).parseAsync(args, { from: 'user' });
    const rows = (await readFile(folder.path('rows'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const row of rows) {
      const names = ['origin_ts', 'start_ts', 'end_ts', 'count', 'p5', 'p50', 'p95', 'quantiles', 'final'];
      assert.deepEqual(Object.keys(row).slice(0, 9), names);
      assert.ok(row.start_ts >= Number(from));
    }
    const scores = JSON.parse(await readFile(folder.path('json'), 'utf8'));
    assert.equal(scores.overall.n, rows.length);
    assert.ok(scores.by_horizon['24'].crps_pace > 0);
    assert.match(await readFile(folder.path('report'), 'utf8'), /Backtest of posts\.csv/);
    assert.match(proc.texts.stdout, /hours left .*\n +all /);
  });

  it('ends with 130 and leaves no file when a signal stops it', async () => {
    const posts = await folder.write('long.csv', postsCsv(syntheticPosts(120)));
    const proc = memoryProcess();
    const codes: number[] = [];
    const command = backtestCommand(proc, (code) => codes.push(code));
    const args = [
      '--posts',
      posts,
      '--windows',
      '2d',
      '--rows',
      folder.path('never'),
      '--json',
      folder.path('nor'),
    ];
    const running = command.parseAsync(args, { from: 'user' });
    while (proc.signals.listenerCount('SIGINT') === 0) await setImmediate();
    proc.signals.emit('SIGINT');
    await running;
    assert.deepEqual(codes, [130]);
    assert.equal(proc.texts.stderr, 'tallywire: stopped by a signal, nothing was written\n');
    assert.equal(proc.texts.stdout, '');
    assert.ok((await readdir(dirname(posts))).every((name) => !/never|nor|part/.test(name)));
    assert.equal(proc.signals.listenerCount('SIGINT'), 0);
  });

  it('refuses before any work a file that it could not write', async () => {
    const posts = await folder.write('few.csv', postsCsv(syntheticPosts(3)));
    const nowhere = folder.path('no/such/folder/rows');
    const refused = (args: readonly string[], reason: RegExp) =>
      assert.rejects(
        backtestCommand(memoryProcess(), () => {}).parseAsync(['--posts', posts, ...args], { from: 'user' }),
        reason,
      );
    await refused(['--rows', nowhere], /cannot write .*rows: no folder to write to/);
    await refused(['--json', dirname(posts)], /it is a folder/);
    await refused(['--windows', 'yearly'], /no windows yearly, expected weekly, 2d, 3d, monthly or a file/);
    const backwards = await folder.write('backwards.csv', 'start_ts,end_ts\n2026-01-02,2026-01-01\n');
    await refused(['--windows', backwards], /window 1 lasts -86400000 ms, expected between 0 and/);
  });

  it('refuses a period that is none', async () => {
    const command = backtestCommand(memoryProcess(), () => {})
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    await assert.rejects(
      command.parseAsync(['--posts', 'x', '--every', 'often'], { from: 'user' }),
      /12h or 1d/,
    );
  });
});
