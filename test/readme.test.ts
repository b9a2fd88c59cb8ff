import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Router } from '@koa/router';
import { z } from 'zod';
import { runProgram } from '../src/cli/program.ts';
import { envOf, flagOf, SETTING_KEYS, SETTINGS, type Setting } from '../src/config/settings.ts';
import { createMetrics } from '../src/observability/metrics.ts';
import { createLatest } from '../src/views/latest.ts';
import { STREAM_NAMES } from '../streams/internal.ts';
import { memoryShell } from './cli/memory-shell.ts';
import { start } from './server/start.ts';

/** What the README says is held against the sources, in both directions where it is a list. */

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(root, 'src', name), 'utf8') }));
const manifest = z
  .object({ dependencies: z.record(z.string(), z.string()), scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** The text under a heading, up to the next one of any level. */
function section(heading: string): string {
  const start = readme.indexOf(`\n${heading}\n`);
  assert.ok(start >= 0, `the README has no heading ${heading}`);
  const text = readme.slice(start + heading.length + 2);
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
      if (found.length === 0) unread.push(`${name}: ${text.slice(index, index + 60)}`);
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

describe('README', () => {
  it('lists every error code made in the sources, and no other', () => {
    const { codes, unread } = errorCodes();
    assert.deepEqual(unread, []);
    assert.deepEqual(
      sorted(firstCells(section('### Inside'), 'Code')),
      sorted(codes.filter((code) => /^[A-Z_]+$/.test(code))),
    );
    assert.deepEqual(
      sorted(firstCells(section('### Over HTTP'), 'Code')),
      sorted(codes.filter((code) => /^[a-z_]+$/.test(code))),
    );
    assert.ok(
      codes.includes('CONFIG_INVALID') && codes.includes('STORE_BROKEN') && codes.includes('internal'),
    );
  });

  it('tells every setting as the table of settings does', () => {
    assert.deepEqual(tableRows(section('### Configuration'), 'Flag'), SETTING_KEYS.map(settingRow));
  });

  it('names every stream', () => {
    const text = section('## Architecture');
    assert.deepEqual(
      STREAM_NAMES.filter((name) => !text.includes(`\`${name}\``)),
      [],
    );
  });

  it('lists every endpoint of the app, and no other', async () => {
    const { app, stop } = await start();
    try {
      const routers = app.middleware.flatMap((each) =>
        'router' in each && each.router instanceof Router ? [each.router] : [],
      );
      const served = routers
        .flatMap(({ stack }) => stack.map(({ path, methods }) => `${methods.at(-1)} ${path}`))
        // Parts of pages.
        .filter((name) => !/^GET \/(docs|dashboard)\//.test(name))
        .map((name) => name.replace(/account_[ab]/, '{account}'));
      assert.deepEqual(sorted(firstCells(section('## What is served'), 'Endpoint')), sorted(served));
    } finally {
      await stop();
    }
  });

  it('lists every metric of ours, and no other', async () => {
    const metrics = createMetrics();
    metrics.watchSources(() => []);
    metrics.watchFeed(() => ({ connections: 0, unsentBytes: 0, sent: 0, merged: 0, closed: new Map() }));
    const unwatch = metrics.watchStreams({ latest: createLatest(), ages: () => ({}), now: Date.now });
    const names = [...(await metrics.text()).matchAll(/^# HELP (tallywire_\w+)/gm)].map(
      ([, name = '']) => name,
    );
    unwatch();
    assert.deepEqual(sorted(firstCells(section('## Running it for real'), 'Metric')), sorted(names));
  });

  it('gives a reason for every dependency, and for no other', () => {
    assert.deepEqual(
      sorted(firstCells(section('## Dependencies'), 'Package')),
      sorted(Object.keys(manifest.dependencies)),
    );
  });

  it('links to headings and files that exist', () => {
    const text = outsideBlocks(readme);
    const anchors = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`);
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken = targets.filter((target) =>
      target.startsWith('#') ? !anchors.includes(target) : !existsSync(join(root, target)),
    );
    assert.ok(targets.length > 10);
    assert.deepEqual(broken, []);
  });

  it('names files and folders that exist', () => {
    const names = [...readme.matchAll(/`((?:src|streams|test|bench)\/[\w./-]*)`/g)].map(
      ([, name = '']) => name,
    );
    assert.ok(names.length > 10);
    assert.deepEqual(
      names.filter((name) => !existsSync(join(root, name))),
      [],
    );
  });

  it('runs scripts that exist', () => {
    const names = [...readme.matchAll(/npm run ([\w-]+)/g)].map(([, name = '']) => name);
    assert.deepEqual(
      names.filter((name) => !(name in manifest.scripts)),
      [],
    );
  });

  it('uses commands and flags that exist', async () => {
    const lines = blocks(readme, 'sh').join('\n').split('\n');
    const uses = lines.flatMap((line) => {
      const [, command, rest] = /^(?:\w+=\S+ )?tallywire (keys \w+|\w+)([^#]*)/.exec(line) ?? [];
      return command === undefined ? [] : [{ command, flags: rest?.match(/--[\w-]+/g) ?? [] }];
    });
    assert.ok(uses.length > 5);
    for (const { command, flags } of uses) {
      const shell = memoryShell();
      assert.equal(await runProgram([...command.split(' '), '--help'], shell), 0, command);
      for (const flag of flags) assert.ok(shell.texts.stdout.includes(`  ${flag} `), `${command} ${flag}`);
    }
  });

  it('shows what its example over own data prints', async () => {
    const [, example = ''] = blocks(section('## Examples'), 'js');
    const [expected = ''] = blocks(section('## Examples'), 'text');
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
