import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { plainWireTypes } from './client-types.ts';
import { API_PREFIX } from './contract/api-prefix.ts';

// Makes a package of the client alone in build/client: two scripts, their types, and rxjs as the only dependency.

const own = fileURLToPath(new URL('client/', import.meta.url));
const out = fileURLToPath(new URL('../client/', import.meta.url));

await rm(out, { recursive: true, force: true });
await build({
  entryPoints: ['node.js', 'browser.js'].map((name) => join(own, name)),
  outdir: out,
  bundle: true,
  platform: 'neutral',
  format: 'esm',
  target: 'es2022',
  external: ['rxjs', 'ws'],
  logLevel: 'warning',
});

/** Declarations that name something of the contract are given it. */
function declarations(name: string, text: string): string {
  if (name === 'wire.d.ts') return plainWireTypes(text);
  if (name !== 'http.d.ts') return text;
  return text
    .replace(/^import type \{ API_PREFIX \}.*\n/, '')
    .replace('typeof API_PREFIX', `'${API_PREFIX}'`);
}

const names = await readdir(own, { recursive: true });
for (const name of names.filter((each) => each.endsWith('.d.ts'))) {
  const text = declarations(name, await readFile(join(own, name), 'utf8'));
  const stranger = /from '(?!rxjs'|\.\/|\.\.\/[\w-]+\.ts')[^']*'/.exec(text);
  if (stranger !== null) throw new Error(`${name} needs more than the client: ${stranger[0]}`);
  await mkdir(dirname(join(out, 'types', name)), { recursive: true });
  await writeFile(join(out, 'types', name), text);
}

const { version, license, engines, dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const manifest = {
  name: 'tallywire-client',
  version,
  description: 'Typed client of a tallywire service: REST, and a feed that resumes without a gap.',
  license,
  type: 'module',
  sideEffects: false,
  engines,
  exports: {
    '.': {
      types: './types/node.d.ts',
      browser: './browser.js',
      node: './node.js',
      default: './browser.js',
    },
  },
  dependencies: { rxjs: `^${dependencies.rxjs}` },
  // Node has a WebSocket of its own from version 22 on.
  peerDependencies: { ws: `^${dependencies.ws}` },
  peerDependenciesMeta: { ws: { optional: true } },
};
await writeFile(join(out, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
await copyFile('LICENSE', join(out, 'LICENSE'));
const page = await readFile('src/client/README.md', 'utf8');
// What it is called there.
await writeFile(join(out, 'README.md'), page.replaceAll("'tallywire/client'", "'tallywire-client'"));
