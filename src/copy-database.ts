import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// Copies the scripts of the database into the build, so that whoever installs this package runs none of their install
// scripts and compiles nothing. Its binaries come in packages of their own, one for each kind of machine. The files stay
// as they are but for the paths they import: a bundler would rename what some of them evaluate by name.

const MODULES = 'node_modules/';
const out = fileURLToPath(new URL('../database/', import.meta.url));

/** The path below the last `node_modules/`. */
function inPackages(path: string): string {
  return path.slice(path.lastIndexOf(MODULES) + MODULES.length);
}

function packageOf(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(out, path)), { recursive: true });
  await writeFile(join(out, path), text);
}

const { metafile } = await build({
  entryPoints: [fileURLToPath(import.meta.resolve('lmdb'))],
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  format: 'esm',
  // Speeds up an encoding that is not in use; it is looked for and may be missing.
  external: ['msgpackr-extract'],
  logLevel: 'error',
});

const roots = new Map<string, string>();
for (const [source, { imports }] of Object.entries(metafile.inputs)) {
  const path = inPackages(source);
  const name = packageOf(path);
  roots.set(name, source.slice(0, source.length - path.length + name.length));
  let text = await readFile(source, 'utf8');
  for (const { path: imported, original, external } of imports) {
    if (external === true || original === undefined || original.startsWith('.')) continue;
    const there = posix.join(relative(dirname(path), inPackages(imported)));
    const specifier = there.startsWith('.') ? there : `./${there}`;
    for (const quote of ['"', "'"])
      text = text.replaceAll(quote + original + quote, quote + specifier + quote);
  }
  await write(path, text);
}

for (const [name, root] of roots) {
  const { version, license, type } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await write(`${name}/package.json`, `${JSON.stringify({ name, version, license, type })}\n`);
  // Not every package has the text of its licence.
  for (const file of (await readdir(root)).filter((each) => each === 'LICENSE')) {
    await copyFile(join(root, file), join(out, name, file));
  }
}
// What is stored was compressed with it.
await mkdir(join(out, 'lmdb', 'dict'), { recursive: true });
await copyFile(join(roots.get('lmdb') ?? '', 'dict', 'dict.txt'), join(out, 'lmdb', 'dict', 'dict.txt'));
