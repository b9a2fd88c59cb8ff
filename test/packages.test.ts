import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** What others' packages come with ours, read off the lock file and the sources. */

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const MOST_PACKAGES = 65;

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

const names = z.array(z.string());
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
      os: names.optional(),
      cpu: names.optional(),
      libc: names.optional(),
    }),
  ),
});
const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
  scripts: z.record(z.string(), z.string()),
  files: names,
  allowScripts: z.record(z.string(), z.boolean()),
});

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const manifest = manifestSchema.parse(JSON.parse(read('package.json')));
const locked = Object.entries(lockSchema.parse(JSON.parse(read('package-lock.json'))).packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({ path, name: path.replace(/^.*node_modules\//, ''), ...entry }));
const runtime = locked.filter(({ dev }) => !dev);

/** Those for one kind of machine; packages that hold binaries name the machines they are for. */
function installedOn(os: string, cpu: string, libc: string): string[] {
  const fits = (list: readonly string[] | undefined, value: string) => list?.includes(value) ?? true;
  return runtime
    .filter((entry) => fits(entry.os, os) && fits(entry.cpu, cpu) && fits(entry.libc, libc))
    .map(({ path }) => path);
}

/** Names of packages that the files of the published folders import when they run. */
function importedPackages(): Set<string> {
  const imported = /^(?:import|export) (?!type\b)[^;]*?from '([^'.][^']*)';|\bimport\('([^'.][^']*)'\)/gm;
  const left = manifest.files.filter((pattern) => pattern.startsWith('!build/src/'));
  const isPublished = (path: string) =>
    !left.some((pattern) => `build/${path}`.startsWith(pattern.slice(1).replace(/\*$/, '')));
  const files = ['src', 'streams'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => /\.ts$/.test(path) && !path.startsWith('src/dashboard/') && isPublished(path)),
  );
  const found = files.flatMap((path) =>
    [...read(path).matchAll(imported)].map(([, from, later]) => from ?? later ?? ''),
  );
  const packages = found.filter((name) => !name.startsWith('node:') && !name.startsWith('#'));
  return new Set(packages.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')));
}

describe('the packages that come with this one', () => {
  it('are few, on every kind of machine', () => {
    for (const [os, cpu, libc] of [
      ['linux', 'x64', 'glibc'],
      ['linux', 'x64', 'musl'],
      ['linux', 'arm64', 'glibc'],
      ['darwin', 'arm64', ''],
      ['win32', 'x64', ''],
    ] as const) {
      const installed = installedOn(os, cpu, libc);
      assert.ok(
        installed.length > 10 && installed.length <= MOST_PACKAGES,
        `${os} ${cpu}: ${installed.length}`,
      );
    }
  });

  it('are those that the program imports, and no others', () => {
    const own = new Set(['tallywire']);
    const imported = [...importedPackages()].filter((name) => !own.has(name));
    assert.deepEqual(imported.sort(), Object.keys(manifest.dependencies).sort());
  });

  it('bring the binaries of the very database that is bundled, for every machine it has them for', () => {
    const bundled = locked.find(({ path }) => path === 'node_modules/lmdb');
    assert.deepEqual(manifest.optionalDependencies, bundled?.optionalDependencies);
  });

  it('run no script where they are installed', () => {
    const scripted = runtime.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    assert.deepEqual(scripted, []);
    const ours = Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name));
    assert.deepEqual(ours, []);
  });

  it('are developed with others whose scripts are refused by name, so that our own may run before packing', () => {
    // Settings that ignore every script would ignore our own that builds before packing.
    assert.ok(!existsSync(join(root, '.npmrc')) || !/ignore-scripts/.test(read('.npmrc')));
    assert.ok('prepack' in manifest.scripts);
    const scripted = locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    assert.deepEqual(
      manifest.allowScripts,
      Object.fromEntries([...new Set(scripted)].sort().map((name) => [name, false])),
    );
  });
});
