import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/**
 * The program of `run-simulate.ts` in one file beside it. It starts in less than half the CPU time, as there are not over a
 * thousand modules to find and read, which counts where many short simulations have a process each.
 */
export function bundleRun(): URL {
  const bundle = new URL('./run-simulate.bundle.mjs', import.meta.url);
  buildSync({
    entryPoints: [fileURLToPath(new URL('./run-simulate.js', import.meta.url))],
    outfile: fileURLToPath(bundle),
    bundle: true,
    platform: 'node',
    format: 'esm',
    // It loads a file of its own package. No simulation opens it.
    external: ['#database'],
    // Packages in the older form of modules call it.
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return bundle;
}
