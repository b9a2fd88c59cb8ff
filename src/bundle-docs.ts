import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// Bundles the script and the style of the pages of the API.

await build({
  entryPoints: ['src/server/docs/browser/main.ts'],
  outfile: fileURLToPath(new URL('server/docs/page.js', import.meta.url)),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
});
