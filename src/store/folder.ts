import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Makes a folder and those above it; one that is there is fine. Node's own recursive way never returns where
 * a file system says that the parent of a folder to be made does not exist although it does, as /proc says.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(path).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path);
  }
}
