import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
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

/** A folder with a package of its own in which ours is installed, as far as that goes without a network. */
async function installed(folder: string): Promise<string> {
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: root });
  const [packed = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const modules = join(folder, 'node_modules');
  const ours = join(modules, 'tallywire');
  await mkdir(ours, { recursive: true });
  await run('tar', ['xzf', join(folder, packed), '-C', ours, '--strip-components=1']);
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
  let server: FeedServer;
  before(async () => {
    folder = await installed(await mkdtemp(join(tmpdir(), 'tallywire-package-')));
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

  it('is built anew where it is packed, though no script of others runs there', async () => {
    const clone = await mkdtemp(join(tmpdir(), 'tallywire-clone-'));
    try {
      const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      // Building takes long and is tested elsewhere: here it leaves one file.
      const build =
        "node -e \"fs.mkdirSync('build/program', { recursive: true }); fs.writeFileSync('build/program/main.js', '')\"";
      const clean = 'node -e ""';
      await writeFile(
        join(clone, 'package.json'),
        JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, build, clean } }),
      );
      await copyFile(join(root, '.npmrc'), join(clone, '.npmrc'));
      await run('npm', ['run', '--silent', 'package'], { cwd: clone });
      const [packed = ''] = (await readdir(clone)).filter((name) => name.endsWith('.tgz'));
      const { stdout } = await run('tar', ['tzf', join(clone, packed)]);
      assert.ok(stdout.split('\n').includes('package/build/program/main.js'), stdout);
    } finally {
      await rm(clone, { recursive: true });
    }
  });

  it('holds the pictures that its page shows, and a program that starts as a stranger starts it', async () => {
    const folder = await installed(await mkdtemp(join(tmpdir(), 'tallywire-started-')));
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
