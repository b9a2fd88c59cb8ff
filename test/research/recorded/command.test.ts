import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../../src/cli/program.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { memoryProcess } from '../../cli/memory-process.ts';
import { useFolder } from '../backtest/folder.ts';
import { keep, recordedLog } from './recorded-log.ts';

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** The example of the page, to the letter. */
function example(): string {
  const page = readFileSync(join(root, 'src/research/README.md'), 'utf8');
  const [, code = ''] = /^```js\n(\/\/ mine\.js\n[\s\S]*?)^```$/m.exec(page) ?? [];
  assert.notEqual(code, '');
  return code;
}

describe('backtest --data', () => {
  const folder = useFolder();

  before(async () => {
    const store = await openStore(folder.path('data'));
    await keep(store, recordedLog([1, 1, 2]));
    await store.close();
  });

  async function run(...args: readonly string[]) {
    const proc = memoryProcess();
    const code = await runProgram(['backtest', ...args], proc);
    return { code, ...proc.texts };
  }

  it('writes a page with verdict, scores, profit and what it was made from', async () => {
    const { code, stdout, stderr } = await run(
      '--data',
      folder.path('data'),
      '--report',
      folder.path('report'),
    );
    assert.equal(code, 0, stderr);
    const page = await readFile(folder.path('report'), 'utf8');
    const verdict = /<p class="verdict">([^<]*)/.exec(page)?.[1] ?? '';
    assert.ok(stdout.startsWith(verdict) && verdict !== '');
    assert.match(page, /<h2>Profit and loss<\/h2>[\s\S]*signals[\s\S]*hold-cash/);
    assert.match(page, /<title>signals, 2026-01-0\d \d\d:\d\d: [+-]\d+\.\d\d USD<\/title>/);
    assert.match(page, /<dt>Log<\/dt><dd>seq 1 to \d+, sha256 [0-9a-f]{64}<\/dd>/);
    assert.ok(!/NaN|undefined|Infinity|https?:|<script|src=/.test(page));
  });

  it('runs the strategy of the page beside those of the program, and writes what it found', async () => {
    const mine = await folder.write('mine.js', example());
    const files = ['json', 'trades', 'rows'].flatMap((name) => [`--${name}`, folder.path(name)]);
    const { code, stdout, stderr } = await run('--data', folder.path('data'), '--strategy', mine, ...files);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\nstrategy +end USD +profit/);
    assert.match(
      stdout,
      /\nmine\.js .*\nsignals .*\nbuy-the-favourite .*\nsell-the-favourite .*\nhold-cash /,
    );
    const { provenance, verdict, scores, trading } = JSON.parse(await readFile(folder.path('json'), 'utf8'));
    assert.ok(stdout.startsWith(verdict));
    assert.equal(trading[0].strategy, 'mine.js');
    assert.ok(trading[0].fills > 0, 'the example trades');
    assert.equal(scores.overall.n, 18);
    assert.match(provenance.command, /^tallywire backtest --data .* --strategy .*mine\.js/);
    assert.match(provenance.files[0].sha256, /^[0-9a-f]{64}$/);
    const lines = async (name: string) => (await readFile(folder.path(name), 'utf8')).trimEnd().split('\n');
    assert.equal((await lines('rows')).length, 18);
    assert.ok((await lines('trades')).every((line) => JSON.parse(line).shares > 0));
  });

  it('says what is wrong with a strategy', async () => {
    const none = await folder.write('none.js', 'export const strategy = 1;\n');
    const data = folder.path('data');
    const refused = await run('--data', data, '--strategy', none);
    assert.deepEqual([refused.code, /no function as its default export/.test(refused.stderr)], [1, true]);
    const missing = await run('--data', data, '--strategy', folder.path('nowhere.js'));
    assert.match(missing.stderr, /cannot load the strategy .*nowhere\.js/);
  });

  it('needs posts or a folder, and takes no flags that do not belong together', async () => {
    assert.match((await run()).stderr, /needs --posts FILE or --data FOLDER/);
    const { stderr } = await run('--posts', 'posts.csv', '--latency', '5');
    assert.match(stderr, /--latency needs --data FOLDER/);
    assert.match((await run('--data', 'x', '--posts', 'y')).stderr, /cannot be used with option/);
    assert.equal((await run('--data', folder.path('data'), '--latency', '-1')).code, 2);
  });
});
