import { chmod, readFile } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

// Bundles the program: to find, read and compile some fourteen hundred small files takes half of the time of a start. What
// is imported only when it is needed stays in files of its own.

const own = fileURLToPath(new URL('.', import.meta.url));
const out = fileURLToPath(new URL('../program/', import.meta.url));

/** Threads, child processes and pages are found beside the module that names them, which is elsewhere than its bundle. */
const keepLocations: Plugin = {
  name: 'keep locations',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(own)) return undefined;
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const location = relative(out, path).split(sep).join('/');
      const contents = text.replaceAll('import.meta.url', `new URL('${location}', import.meta.url).href`);
      return { contents, resolveDir: dirname(path) };
    });
  },
};

await build({
  entryPoints: [fileURLToPath(new URL('main.js', import.meta.url))],
  outdir: out,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // The text of what is loaded stays in memory. Names stay, for the traces of errors.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  // The database is copied as it is; the others are looked for and may be missing.
  external: ['#database', 'bufferutil', 'utf-8-validate'],
  // Packages of the older kind ask for the modules of Node by `require`, which a module does not have.
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  },
  plugins: [keepLocations],
  logLevel: 'warning',
});
await chmod(fileURLToPath(new URL('../program/main.js', import.meta.url)), 0o755);
