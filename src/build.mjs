// Builds everything below build/. It is no TypeScript, as it runs before there is a compiled file.
//
//   node src/build.mjs                builds everything
//   node src/build.mjs --if-changed   does so only when something has changed since the last whole build

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = ['src', 'streams', 'test', 'bench'];
/** The last one is what npm notes of the packages that are installed. */
const FILES = ['package.json', 'tsconfig.json', 'node_modules/.package-lock.json'];
const COMPILER = 'node_modules/typescript/bin/tsc';
/** Written when a build is whole, so that one that was killed is none. */
const STAMP = 'build/.built-from';
/** Made last of their steps: without them a build is not whole, whatever the stamp says. */
const RESULTS = [
  'build/src/main.js',
  'build/database/lmdb/dict/dict.txt',
  'build/program/main.js',
  'build/src/dashboard/page.css.gz',
  'build/src/server/docs/page.css',
  'build/client/README.md',
];
/** What the later steps put between the compiled files. */
const MADE_LATER = /^src\/(dashboard\/page\.|server\/docs\/page\.)/;

const STEPS = [
  ['compiling the sources', compile],
  ['copying the database', () => runBuilt('copy-database.js')],
  ['bundling the program', () => runBuilt('bundle-program.js')],
  ['bundling the dashboard', () => runBuilt('bundle-dashboard.js')],
  ['bundling the pages of the API', () => runBuilt('bundle-docs.js')],
  ['making the package of the client', () => runBuilt('package-client.js')],
];

const tell = (line) => process.stderr.write(`${line}\n`);

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1));
}

/** Of names and contents, as times tell nothing after a change of the branch. */
function fingerprint() {
  const hash = createHash('sha256').update(process.version);
  const sources = FOLDERS.flatMap((folder) => filesIn(folder).map((name) => join(folder, name)));
  for (const path of [...FILES, ...sources.filter((name) => !name.endsWith('.md')).sort()]) {
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    hash.update(`\n${path}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function compile() {
  removeOrphans();
  const { status } = spawnSync(process.execPath, [COMPILER], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the sources do not compile');
}

/** Removes what was compiled from sources that are gone: it would be run and published as if they were there. */
function removeOrphans() {
  for (const folder of FOLDERS) {
    for (const name of filesIn(join('build', folder))) {
      const path = join(folder, name);
      const source = path.replace(/(\.d\.ts|\.js(\.map)?)$/, '');
      if (source === path || MADE_LATER.test(path)) continue;
      if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(join('build', path));
    }
  }
}

function runBuilt(name) {
  return import(pathToFileURL(join(root, 'build', 'src', name)).href);
}

/** Why there is something to build, as the end of a sentence; undefined when there is not. */
function reasonToBuild(now) {
  if (!existsSync(STAMP)) return existsSync('build') ? ', as the last build was not finished' : ' for the first time';
  if (!RESULTS.every((path) => existsSync(path))) return ', as a part of the last build is gone';
  return readFileSync(STAMP, 'utf8') === now ? undefined : ', as something has changed';
}

async function build(now) {
  const startedAt = performance.now();
  rmSync(STAMP, { force: true });
  for (const [index, [what, run]] of STEPS.entries()) {
    tell(`  ${index + 1}/${STEPS.length} ${what}`);
    await run();
  }
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(`${STAMP}.new`, now);
  renameSync(`${STAMP}.new`, STAMP);
  tell(`built in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}

process.chdir(root);
try {
  if (!existsSync(COMPILER)) throw new Error('the packages are not installed, run `npm ci` first');
  // Taken before the build: what changes while it runs is built the next time.
  const now = fingerprint();
  const reason = process.argv.includes('--if-changed') ? reasonToBuild(now) : '';
  if (reason !== undefined) {
    tell(`building tallywire${reason}, about half a minute`);
    await build(now);
  }
} catch (error) {
  tell(`tallywire: could not be built: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
