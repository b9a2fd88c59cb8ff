import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// Bundles the dashboard, and compresses each file beside it as the server sends it.

const out = (name: string) => fileURLToPath(new URL(`dashboard/${name}`, import.meta.url));

await build({
  entryPoints: ['src/dashboard/main.tsx'],
  outfile: out('page.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
});

for (const name of ['page.js', 'page.css']) {
  const bytes = await readFile(out(name));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(out(`${name}.br`), brotliCompressSync(bytes, { params }));
  await writeFile(out(`${name}.gz`), gzipSync(bytes, { level: 9 }));
}
