import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startMain } from './cli/run-main.ts';
import { postsCsv } from './research/backtest/folder.ts';
import { eventually } from './support/eventually.ts';

/** What the README tells to type and to save is typed and saved, in a folder like that of the repository. */

const built = fileURLToPath(new URL('../', import.meta.url));
const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const ADDRESS = 'http://127.0.0.1:8080';
const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The blocks under each heading, as `language` and `text`. */
const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ({ 1: language = '', 2: text = '', index }) => {
    const headings = [...readme.slice(0, index).matchAll(/^## (.+)$/gm)];
    return { heading: headings.at(-1)?.[1] ?? '', language, text };
  },
);

/** The lines of a shell block, without what is said about them. */
function commandsUnder(heading: string): readonly string[] {
  return blocks
    .filter((block) => block.heading === heading && block.language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** What the shell has to know: the alias that the README gives, and `curl` where the machine has none. */
const SHELL = `
tallywire() { "$NODE" "$PWD/build/program/main.js" "$@"; }
curl() { "$NODE" --input-type=module --eval "process.stdout.write(await (await fetch('$1')).text())"; }
`;

describe('the README', function () {
  this.timeout(300_000);
  let folder = '';
  let url = '';
  let service: ReturnType<typeof startMain>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallywire-readme-'));
    for (const name of ['package.json', 'node_modules']) await symlink(join(root, name), join(folder, name));
    await symlink(built, join(folder, 'build'));
    const data = join(folder, '.tallywire');
    // As `npm start` runs it, on any free port, and with less to read.
    service = startMain(['start', '--json', '--port', '0', '--history-days', '3', '--data', data]);
    ({ url } = JSON.parse(await service.line()));
    await eventually('the counts are known', async () => {
      // A connection that was kept for the next question may have been closed meanwhile.
      const answer = await fetch(`${url}/api/v1/meta/account_a`).catch(() => undefined);
      return answer?.ok === true && (await answer.text()).includes('"history_percent":100');
    });
  });
  after(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
    await rm(folder, { recursive: true, force: true });
  });

  const here = (text: string) => text.replaceAll(ADDRESS, url);

  /** Runs a program until it has printed what is expected, or has ended; resolves to what it printed. */
  async function printed(
    command: string,
    args: readonly string[],
    isEnough?: (text: string) => boolean,
  ): Promise<{ readonly text: string; readonly code: number | null }> {
    // In a group of its own, as a shell does not pass a signal on.
    const child = spawn(command, [...args], {
      cwd: folder,
      detached: true,
      env: { PATH: process.env.PATH, HOME: folder, NODE: process.execPath },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        text += bytes;
      });
    }
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const isOver = () => child.exitCode !== null || child.signalCode !== null;
    if (isEnough === undefined) return { code: await ended, text };
    await eventually(`${command} ${args.at(-1)} prints`, () => isOver() || isEnough(text)).catch(() =>
      assert.fail(text),
    );
    if (!isOver() && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    return { text, code: await ended };
  }

  const typed = (line: string, isEnough?: (text: string) => boolean) =>
    printed('bash', ['-c', `${SHELL}${here(line)}`], isEnough);

  it('begins with a start and a question that is answered', async () => {
    assert.deepEqual(commandsUnder('Start'), [
      'npm ci && npm start',
      'npm ci && npm test',
      'curl http://127.0.0.1:8080/api/v1/meta/account_a',
    ]);
    const { text } = await typed('curl http://127.0.0.1:8080/api/v1/meta/account_a');
    const [first] = JSON.parse(text).data;
    for (const name of readme
      .match(/^# .*"(\w+)":/gm)
      ?.join('')
      .match(/"(\w+)":/g) ?? []) {
      const field = name.slice(1, -2);
      if (['timestamp', 'data', 'seq', 'ts', 'posts', 'oracle', 'ui', 'prices', 'ages_ms'].includes(field))
        continue;
      assert.ok(field in first, field);
    }
  });

  it('has a bot to be saved under a name and run', async () => {
    const [, file = '', line = ''] =
      /Save this as `(\S+)` in this folder and run `([^`]+)`/.exec(readme) ?? [];
    const bot = blocks.find(
      ({ heading, language }) => heading === 'For a trading bot: REST' && language === 'js',
    );
    await writeFile(join(folder, file), here(bot?.text ?? ''));
    const { text } = await typed(line, (said) => /posts .* \d+ (-?\d+|null)\n/.test(said));
    assert.match(text, /^Account A # posts .* \d+ (-?\d+|null)$/m);
  });

  it('follows the feed from the shell, and keeps the position where it says', async () => {
    const [line = ''] = commandsUnder('For a subscriber: the feed');
    const { text, code } = await typed(line, (said) => said.includes('\n'));
    assert.equal(code, 0, text);
    assert.equal(JSON.parse(text.split('\n')[0] ?? '').channel, 'tweets');
    const [, cursor = ''] = /--cursor (\S+)/.exec(line) ?? [];
    assert.ok('tweets/account_a' in JSON.parse(readFileSync(join(folder, cursor), 'utf8')));
  });

  it('replays, taps, exports and backtests as it says', async () => {
    const lines = commandsUnder('For a researcher: the streams');
    assert.equal(lines.length, 4);
    const start = Date.UTC(2026, 0, 2);
    const posts = Array.from({ length: 11 * 7 * 12 }, (_, index) => start + index * 2 * HOUR_MS);
    assert.ok((posts.at(-1) ?? 0) - start > 10 * WEEK_MS);
    await writeFile(join(folder, 'posts.csv'), postsCsv(posts));
    for (const line of lines) {
      const isFollowing = line.startsWith('tallywire tap');
      const { text, code } = await typed(
        line,
        isFollowing ? (said) => said.includes('"counters"') : undefined,
      );
      assert.equal(code, 0, `${line}\n${text}`);
    }
    assert.ok(existsSync(join(folder, 'report.html')));
    assert.ok(readdirSync(folder).some((name) => /^predictions-seq\d+-seq\d+\.parquet$/.test(name)));
  });

  it('runs the streams over own data, from a file in this folder', async () => {
    const [, example, expected] = blocks.filter(({ heading }) => heading.startsWith('For a researcher'));
    await writeFile(join(folder, 'streams.mjs'), example?.text ?? '');
    const { text } = await typed('node streams.mjs');
    assert.equal(text, expected?.text);
  });

  it('has no other block than those that are run here, by the tests of the client, or need several machines', () => {
    assert.deepEqual(
      blocks.map(({ heading, language }) => `${heading}, ${language}`),
      [
        'Start, sh',
        'Start, sh',
        'For a trading bot: REST, js',
        'For a subscriber: the feed, ts',
        'For a subscriber: the feed, sh',
        'For a researcher: the streams, sh',
        'For a researcher: the streams, js',
        'For a researcher: the streams, text',
        'For an operator: several machines, sh',
        'The promises, text',
      ],
    );
  });
});
