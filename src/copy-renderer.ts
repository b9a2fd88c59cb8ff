import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';

// Copies the renderer of the API's page beside the server, so that its package is needed for the build only.

const { resolve } = createRequire(import.meta.url);
const folder = new URL('server/renderer/', import.meta.url);

await mkdir(folder, { recursive: true });
for (const name of [
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt',
]) {
  await copyFile(resolve(`swagger-ui-dist/${name}`), new URL(name, folder));
}
