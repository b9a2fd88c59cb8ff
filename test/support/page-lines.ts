import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The lines of a page beside the code, by its path from the root. */
export function pageLines(path: string): readonly string[] {
  return readFileSync(join(root(dirname(fileURLToPath(import.meta.url))), path), 'utf8').split('\n');
}

function root(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : root(dirname(folder));
}
