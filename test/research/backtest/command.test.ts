import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { backtestCommand } from '../../../src/cli/backtest.ts';
import { memoryShell } from '../../cli/memory-shell.ts';
import { DAY_MS, FIRST_AT, syntheticPosts } from '../../streams/model/forecast/synthetic.ts';
import { postsCsv, useFolder } from './folder.ts';

describe('backtest command', function () {
  this.timeout(30_000);
  const folder = useFolder();

  it('writes rows, scores and a page, and prints a table', async () => {
    const posts = await folder.write('posts.csv', postsCsv(syntheticPosts(68)));
    const outputs = ['rows', 'json', 'report'].flatMap((name) => [`--${name}`, folder.path(name)]);
    const from = String(FIRST_AT + 58 * DAY_MS);
    const shell = memoryShell();
    const args = ['--posts', posts, '--windows', '2d', '--every', '1d', '--from', from, ...outputs];
    await backtestCommand(shell, () => {}).parseAsync(args, { from: 'user' });
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
    assert.match(shell.texts.stdout, /hours left .*\n +all /);
  });

  it('refuses a period that is none', async () => {
    const command = backtestCommand(memoryShell(), () => {})
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    await assert.rejects(
      command.parseAsync(['--posts', 'x', '--every', 'often'], { from: 'user' }),
      /12h or 1d/,
    );
  });
});
