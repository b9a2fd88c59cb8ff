import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { asyncApiDocument } from '../src/contract/asyncapi/document.ts';
import { openApiDocument } from '../src/contract/openapi/document.ts';
import { INTERFACE_VERSION } from '../src/contract/version.ts';
import { type FeedServer, startFeed } from './feed/feed-server.ts';
import { countersOutput, eventOutput } from './support/outputs.ts';

const run = promisify(execFile);
const root = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

const manifestSchema = z.object({
  bin: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.record(z.string(), z.string())),
  imports: z.object({ '#database': z.object({ default: z.string() }) }),
  files: z.array(z.string()),
});

/** What the client adds to the rxjs that it needs, as its page says. */
const MOST_CLIENT_BYTES = 300_000;

/** What a stranger would write: its types have to hold without any of ours. */
const USE = `
import { byKey, createClient, type DataFrame, TallywireError } from 'tallywire/client';
import { graph } from 'tallywire/streams';
import { firstValueFrom } from 'rxjs';

const client = createClient({ url: process.argv[2] ?? '', key: 'demo_pro' });
const { data } = await client.meta('account_a');
const count: number | null | undefined = data[0]?.real_counter;
const feed = client.feed();
const frame: DataFrame<'counters'> = await firstValueFrom(feed.counters('account_a'));
const held = await firstValueFrom(feed.counters('account_a').pipe(byKey()));
const title: string | undefined = held.get('7')?.event_title;
const failure: unknown = await client.meta('nobody').catch((error: unknown) => error);
const code = failure instanceof TallywireError ? failure.code : '';
console.log(JSON.stringify([count, frame.type, title, code, typeof graph]));
`;

/** What a clone does not have. */
const NOT_CLONED = new Set(['.git', '.cache', '.tallywire', 'build', 'node_modules']);

/** The path of the package that a stranger makes of a fresh clone, with no settings of npm but those of the clone. */
async function packedByAStranger(folder: string): Promise<string> {
  const clone = join(folder, 'clone');
  await mkdir(clone);
  for (const name of await readdir(root)) {
    if (!NOT_CLONED.has(name) && !name.endsWith('.tgz'))
      await cp(join(root, name), join(clone, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'));
  const ownSettings = join(folder, 'npmrc');
  await writeFile(ownSettings, '');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_config_ignore_scripts$/i.test(name),
  );
  await run('npm', ['pack'], {
    cwd: clone,
    env: { ...Object.fromEntries(inherited), npm_config_userconfig: ownSettings },
    maxBuffer: 10_000_000,
  });
  const [packed = ''] = (await readdir(clone)).filter((name) => name.endsWith('.tgz'));
  return join(clone, packed);
}

/** A folder with a package of its own in which ours is installed, as far as that goes without a network. */
async function installed(folder: string, packed: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  const ours = join(modules, 'tallywire');
  await mkdir(ours, { recursive: true });
  await run('tar', ['xzf', packed, '-C', ours, '--strip-components=1']);
  await symlink(join(root, 'node_modules'), join(ours, 'node_modules'));
  await symlink(join(root, 'node_modules', 'rxjs'), join(modules, 'rxjs'));
  await mkdir(join(modules, '@types'));
  await symlink(join(root, 'node_modules', '@types', 'node'), join(modules, '@types', 'node'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', type: 'module' }));
  await writeFile(join(folder, 'use.ts'), USE);
  return folder;
}

/** The first address that the program prints. */
async function firstAddress(output: Readable): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += chunk;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`no address in ${text}`);
}

/** A folder in which the client's own package is installed, with rxjs and nothing else. */
async function withClientAlone(folder: string): Promise<string> {
  const made = join(root, 'build', 'client');
  await run('npm', ['pack', made, '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: root,
  });
  const [packed = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'tallywire-client'), { recursive: true });
  const target = join(modules, 'tallywire-client');
  await run('tar', ['xzf', join(folder, packed), '-C', target, '--strip-components=1']);
  for (const name of ['rxjs', 'tslib']) await symlink(join(root, 'node_modules', name), join(modules, name));
  await mkdir(join(modules, '@types'));
  await symlink(join(root, 'node_modules', '@types', 'node'), join(modules, '@types', 'node'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', type: 'module' }));
  const use = USE.replace("'tallywire/client'", "'tallywire-client'")
    .replace("import { graph } from 'tallywire/streams';", '')
    .replace('typeof graph', "'function'");
  await writeFile(join(folder, 'use.ts'), use);
  return folder;
}

describe('the package as it is published', function () {
  this.timeout(120_000);
  let folder = '';
  let packed = '';
  let server: FeedServer;
  before(async function () {
    // It is built there, from nothing.
    this.timeout(600_000);
    folder = await mkdtemp(join(tmpdir(), 'tallywire-package-'));
    packed = await packedByAStranger(folder);
    await installed(folder, packed);
    server = await startFeed();
    await server.turn(eventOutput({ eventId: 7, title: 'Posts' }), countersOutput({ eventId: 7, real: 3 }));
  });
  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('has the version of its interface documents', () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    assert.equal(INTERFACE_VERSION, version);
    for (const document of [openApiDocument([]), asyncApiDocument([])]) {
      assert.equal(Object(document.info).version, version);
    }
  });

  it('is whole when `npm pack` makes it of a fresh clone', async () => {
    const { stdout } = await run('tar', ['tzf', packed]);
    const held = new Set(stdout.split('\n').map((path) => path.replace(/^package\//, '')));
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    const doors = Object.values(manifest.exports).flatMap((targets) => Object.values(targets));
    for (const path of [...Object.values(manifest.bin), ...doors, manifest.imports['#database'].default]) {
      assert.ok(held.has(path.replace(/^\.\//, '')), path);
    }
    const folders = manifest.files.filter((pattern) => !pattern.startsWith('!'));
    for (const folder of folders) {
      assert.ok(
        [...held].some((path) => path.startsWith(folder)),
        folder,
      );
    }
  });

  it('holds the pictures that its page shows, and a program that starts as a stranger starts it', async () => {
    const folder = await installed(await mkdtemp(join(tmpdir(), 'tallywire-started-')), packed);
    const stranger = join(folder, 'node_modules', 'tallywire');
    const page = readFileSync(join(stranger, 'README.md'), 'utf8');
    const pictures = [...page.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    assert.ok(pictures.length > 0);
    for (const picture of pictures) assert.ok(statSync(join(stranger, picture)).size > 10_000, picture);
    const { bin } = JSON.parse(readFileSync(join(stranger, 'package.json'), 'utf8'));
    const program = spawn(process.execPath, [join(stranger, bin.tallywire), 'start', '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(program, 'exit');
    try {
      const url = await firstAddress(program.stderr);
      const statusOf = async (path: string) => (await fetch(url + path)).status;
      assert.deepEqual(
        await Promise.all(['/', '/dashboard/page.js', '/docs', '/docs/page.css', '/livez'].map(statusOf)),
        [200, 200, 200, 200, 200],
      );
    } finally {
      program.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    }
  });

  it('has a client that is a package of its own, with rxjs as its only dependency', async () => {
    const alone = await withClientAlone(await mkdtemp(join(tmpdir(), 'tallywire-client-')));
    try {
      const read = readFileSync(join(alone, 'node_modules', 'tallywire-client', 'package.json'), 'utf8');
      const { dependencies, scripts, version } = JSON.parse(read);
      assert.deepEqual(
        [Object.keys(dependencies), scripts, version],
        [['rxjs'], undefined, INTERFACE_VERSION],
      );
      const own = join(alone, 'node_modules', 'tallywire-client');
      const files = await readdir(own, { recursive: true, withFileTypes: true });
      const sizes = files
        .filter((file) => file.isFile())
        .map((file) => statSync(join(file.parentPath, file.name)).size);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      assert.ok(bytes > 0 && bytes < MOST_CLIENT_BYTES, `${bytes} bytes`);
      // Its declarations are checked too, as nobody else's are needed for them.
      const flags = [
        '--strict',
        '--exactOptionalPropertyTypes',
        '--module',
        'nodenext',
        '--target',
        'es2023',
      ];
      const compiler = join(root, 'node_modules', '.bin', 'tsc');
      await run(compiler, [...flags, '--types', 'node', 'use.ts'], { cwd: alone }).catch((error: unknown) =>
        assert.fail(String(Reflect.get(Object(error), 'stdout'))),
      );
      for (const conditions of [[], ['--conditions=browser']]) {
        const args = ['--experimental-websocket', '--no-warnings', ...conditions, 'use.js', server.url];
        const { stdout } = await run(process.execPath, args, { cwd: alone });
        assert.deepEqual(JSON.parse(stdout), [3, 'snapshot', 'Posts', 'account_unknown', 'function']);
      }
    } finally {
      await rm(alone, { recursive: true, force: true });
    }
  });

  it('has types and programs behind both doors, for Node and for browsers', async () => {
    const compiler = join(root, 'node_modules', '.bin', 'tsc');
    const flags = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    await run(compiler, [...flags, 'use.ts'], { cwd: folder }).catch((error: unknown) =>
      assert.fail(String(Reflect.get(Object(error), 'stdout'))),
    );
    for (const conditions of [[], ['--experimental-websocket', '--no-warnings', '--conditions=browser']]) {
      const { stdout } = await run(process.execPath, [...conditions, 'use.js', server.url], { cwd: folder });
      assert.deepEqual(JSON.parse(stdout), [3, 'snapshot', 'Posts', 'account_unknown', 'function']);
    }
  });
});
