import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Router } from '@koa/router';
import * as z from 'zod';
import { runProgram } from '../src/cli/program.ts';
import { parseConfig } from '../src/config/config.ts';
import { envOf, flagOf, SETTING_KEYS, SETTINGS, type Setting } from '../src/config/settings.ts';
import { CHANNEL_NAMES } from '../src/contract/feed/names.ts';
import { ConfigError } from '../src/errors.ts';
import { createMetrics } from '../src/observability/metrics.ts';
import { createLatest } from '../src/views/latest.ts';
import { STREAM_NAMES } from '../streams/internal.ts';
import { memoryProcess } from './cli/memory-process.ts';
import { start } from './server/start.ts';

/** What the pages say is compared with the sources, in both directions where it is a list. */

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
/** The README and every page beside the code, by path. */
const pages = new Map(
  [
    'README.md',
    ...['src', 'streams', 'test', 'bench'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => posix.join(folder, name)),
    ),
  ].map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(root, 'src', name), 'utf8') }));
const manifest = z
  .object({ dependencies: z.record(z.string(), z.string()), scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

function pageAt(path: string): string {
  const page = pages.get(path);
  assert.ok(page !== undefined, `there is no page ${path}`);
  return page;
}

/** The text of a page under a heading, up to the next one of any level. */
function section(path: string, heading: string): string {
  const page = pageAt(path);
  const start = page.indexOf(`\n${heading}\n`);
  assert.ok(start >= 0, `${path} has no heading ${heading}`);
  const text = page.slice(start + heading.length + 2);
  const end = outsideBlocks(text).search(/^#{1,6} /m);
  return end < 0 ? text : text.slice(0, end);
}

/** The same text with every fenced block blanked out, so that places stay the same. */
function outsideBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ' '));
}

function blocks(text: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(fence)].map(([, block = '']) => block);
}

/** The lines of the table whose first heading is `first`, without heading and rule. */
function tableRows(text: string, first: string): string[] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  assert.ok(head >= 0, `there is no table of ${first}`);
  const body = lines.slice(head + 2);
  const end = body.findIndex((line) => !line.startsWith('|'));
  return end < 0 ? body : body.slice(0, end);
}

/** What stands in backticks at the start of each row. */
function firstCells(text: string, first: string): string[] {
  return tableRows(text, first).map((row) => /^\| `([^`]+)` \|/.exec(row)?.[1] ?? row);
}

function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort();
}

/** The codes of every error of ours that is made in `src/`, and the places where none could be read. */
function errorCodes() {
  const errors = sources.find(({ name }) => name === 'errors.ts')?.text ?? '';
  const classes = [...errors.matchAll(/class (\w+Error) extends/g)].map(([, name]) => name);
  // A configuration's code is the same for all and stands in its class.
  const made = new RegExp(`new (?:${classes.filter((name) => name !== 'ConfigError').join('|')})\\(`, 'g');
  const codes: string[] = [];
  const unread: string[] = [];
  for (const { name, text } of sources) {
    for (const { index, 0: call } of text.matchAll(made)) {
      const found = codesAt(text.slice(index + call.length));
      codes.push(...found);
      // What an edge repeats was made by the engine that it asked, from the same sources.
      const isRepeated = name === 'cluster/commands/messages.ts' && call === 'new RequestError(';
      if (found.length === 0 && !isRepeated) unread.push(`${name}: ${text.slice(index, index + 60)}`);
    }
    for (const { index, 0: call } of text.matchAll(/super\(/g)) {
      codes.push(...codesAt(text.slice(index + call.length)));
    }
    if (!name.startsWith('server/')) continue;
    codes.push(...[...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code = '']) => code));
  }
  return { codes, unread };
}

/** The code, or one of two, at the beginning of an argument list. */
function codesAt(args: string): string[] {
  const [, code, other] =
    /^\s*(?:\d{3},\s*)?(?:\w+ \? )?'([A-Za-z]+(?:_[A-Za-z]+)*)'(?: : '([A-Za-z_]+)')?,/.exec(args) ?? [];
  return [code, other].filter((each) => each !== undefined);
}

function settingRow(key: (typeof SETTING_KEYS)[number]): string {
  const { default: usual, help, isSecret, alsoEnv }: Setting<unknown> = SETTINGS[key];
  const env = [envOf(key), ...(alsoEnv === undefined ? [] : [alsoEnv])].map((name) => `\`${name}\``);
  const flag = isSecret ? 'none' : `\`${flagOf(key)}\``;
  const byDefault = usual === '' ? 'none' : `\`${usual}\``;
  return `| ${flag} | ${env.join(', ')} | \`${key}\` | ${byDefault} | ${help} |`;
}

/** How a heading is called in a link. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function anchorsOf(page: string): string[] {
  return [...outsideBlocks(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

/** `page: what` for everything a page names that does not exist. */
function missing(pattern: RegExp, exists: (name: string, path: string) => boolean): string[] {
  return Array.from(pages).flatMap(([path, page]) =>
    [...page.matchAll(pattern)]
      .map(([, name = '']) => name)
      .filter((name) => !exists(name, path))
      .map((name) => `${path}: ${name}`),
  );
}

/** The first fault of a config file. */
function faultOf(file: unknown): string {
  try {
    parseConfig({ flags: {}, env: {}, file });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults[0]?.msg ?? '';
    throw error;
  }
  return '';
}

describe('the pages', () => {
  it('begin with a README of at most 200 lines that leads to every other one', () => {
    const readme = pageAt('README.md');
    assert.ok(readme.split('\n').length <= 201, `${readme.split('\n').length} lines`);
    const linked = [...readme.matchAll(/\]\(([^)#\s]+)\)/g)].map(([, target = '']) => target);
    assert.deepEqual(
      [...pages.keys()].filter((path) => path !== 'README.md' && !linked.includes(path)),
      [],
    );
  });

  it('list every error code made in the sources, and no other', () => {
    const { codes, unread } = errorCodes();
    assert.deepEqual(unread, []);
    assert.deepEqual(
      sorted(firstCells(section('src/service/README.md', '## Error codes of the program'), 'Code')),
      sorted(codes.filter((code) => /^[A-Z_]+$/.test(code))),
    );
    assert.deepEqual(
      sorted(firstCells(section('src/server/README.md', '## Error codes over HTTP'), 'Code')),
      sorted(codes.filter((code) => /^[a-z_]+$/.test(code))),
    );
    assert.ok(
      codes.includes('CONFIG_INVALID') && codes.includes('STORE_BROKEN') && codes.includes('internal'),
    );
  });

  it('give every setting as the table of settings does', () => {
    const rows = tableRows(section('src/service/README.md', '## Configuration'), 'Flag');
    assert.deepEqual(rows, SETTING_KEYS.map(settingRow));
  });

  it('show a list of accounts that is a configuration, and every field of an entry', () => {
    const text = section('src/service/README.md', '## Accounts');
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
    const { accounts } = parseConfig({ flags: {}, env: {}, file: JSON.parse(example) });
    assert.ok(accounts.length > 2);
    const fault = faultOf({ accounts: ['no object'] });
    const [, fields = ''] = /an object with (.*), found/.exec(fault) ?? [];
    const listed = tableRows(text, 'Field').flatMap((row) => row.split('|')[1]?.match(/\w+/g) ?? []);
    assert.deepEqual(sorted(listed), sorted(fields.split(', ')));
  });

  it('list every stream, and no other', () => {
    assert.deepEqual(sorted(firstCells(pageAt('streams/README.md'), 'Stream')), sorted(STREAM_NAMES));
  });

  it('list every channel of the feed, and no other', () => {
    assert.deepEqual(sorted(firstCells(pageAt('src/feed/README.md'), 'Channel')), sorted(CHANNEL_NAMES));
  });

  it('list every endpoint of the app, and no other', async () => {
    const { app, stop } = await start();
    try {
      const routers = app.middleware.flatMap((each) =>
        'router' in each && each.router instanceof Router ? [each.router] : [],
      );
      const served = routers
        .flatMap(({ stack }) => stack.map(({ path, methods }) => `${methods.at(-1)} ${path}`))
        // Parts of pages.
        .filter((name) => !/^GET \/(docs|dashboard)\//.test(name))
        .map((name) => name.replace(':account', '{account}').replace(':event', '{event}'));
      const listed = firstCells(section('src/server/README.md', '## Endpoints'), 'Endpoint');
      assert.deepEqual(sorted(listed), sorted(served));
    } finally {
      await stop();
    }
  });

  it('list every metric of ours, and no other', async () => {
    const metrics = createMetrics();
    metrics.watchEdge(() => ({ isConnected: true, shards: [] }));
    metrics.watchSources(() => []);
    metrics.watchFeed(() => ({
      connections: 0,
      unsentBytes: 0,
      sent: 0,
      merged: 0,
      replayedBytes: 0,
      waiting: 0,
      isCatchingUp: false,
      closed: new Map(),
    }));
    metrics.watchUnsent(() => ({ unsentBytes: 0, endedConnections: 0 }));
    metrics.watchCluster(() => ({
      isLeading: false,
      isConnected: true,
      term: 0,
      place: 0,
      lagMs: 0,
      heldMs: 0,
      hasAlarm: false,
      divergedStores: 0,
    }));
    const unwatch = metrics.watchStreams({ latest: createLatest(), ages: () => ({}), now: Date.now });
    const names = [...(await metrics.text()).matchAll(/^# HELP (tallywire_\w+)/gm)].map(
      ([, name = '']) => name,
    );
    unwatch();
    const listed = firstCells(section('src/service/README.md', '### Metrics'), 'Metric');
    assert.deepEqual(sorted(listed), sorted(names));
  });

  it('give a reason for every dependency, and for no other', () => {
    assert.deepEqual(
      sorted(firstCells(section('README.md', '## Dependencies'), 'Package')),
      sorted(Object.keys(manifest.dependencies)),
    );
  });

  it('link to pages, headings and files that exist', () => {
    const broken = missing(/\]\(([^)\s]+)\)/g, (target, path) => {
      if (/^https?:/.test(target)) return true;
      const [file = '', anchor] = target.split('#');
      const page = file === '' ? path : posix.join(posix.dirname(path), file);
      if (!existsSync(join(root, page))) return false;
      return anchor === undefined || anchorsOf(pageAt(page)).includes(anchor);
    });
    assert.deepEqual(broken, []);
  });

  it('name files and folders that exist', () => {
    assert.deepEqual(
      missing(/`((?:src|streams|test|bench)\/[\w./-]*)`/g, (name) => existsSync(join(root, name))),
      [],
    );
  });

  it('run scripts that exist', () => {
    assert.deepEqual(
      missing(/npm run ([\w-]+)/g, (name) => name in manifest.scripts),
      [],
    );
  });

  it('use commands and flags that exist', async () => {
    const lines = Array.from(pages.values(), (page) => blocks(page, 'sh').join('\n'))
      .join('\n')
      .split('\n');
    const uses = lines.flatMap((line) => {
      const [, command, rest] =
        /^(?:\w+=\S+ )?tallywire ((?:keys|cluster|alerts) \w+|\w+)([^#]*)/.exec(line) ?? [];
      return command === undefined ? [] : [{ command, flags: rest?.match(/--[\w-]+/g) ?? [] }];
    });
    assert.ok(uses.length > 5);
    for (const { command, flags } of uses) {
      const proc = memoryProcess();
      assert.equal(await runProgram([...command.split(' '), '--help'], proc), 0, command);
      for (const flag of flags) assert.ok(proc.texts.stdout.includes(`  ${flag} `), `${command} ${flag}`);
    }
  });

  it('show what the example over own data prints', async () => {
    const examples = section('README.md', '## For a researcher: the streams');
    const [example = ''] = blocks(examples, 'js');
    const [expected = ''] = blocks(examples, 'text');
    // The package's own name leads to its build, which is not where these files need be.
    const code = example.replace(
      "'tallywire/streams'",
      `'${new URL('../streams/index.js', import.meta.url)}'`,
    );
    const args = ['--input-type=module', '--eval', code];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    assert.notEqual(expected, '');
    assert.equal(stdout, expected);
  });
});
