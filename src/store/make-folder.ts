import { chmodSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-to-disk.ts';
import { errorCode } from './system-error.ts';

/**
 * Makes a folder for this user alone, and those above it, unless they exist; returns those it made, innermost first.
 * Node's own recursive mkdir never returns on a file system that reports an existing parent as missing, as /proc does.
 */
export function makeFolder(path: string): readonly string[] {
  try {
    makeOne(path);
    return [path];
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && statSync(path).isDirectory()) return [];
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    const above = makeFolder(dirname(path));
    makeOne(path);
    return [path, ...above];
  }
}

function makeOne(path: string): void {
  mkdirSync(path, { mode: 0o700 });
  // The mask of the process may have taken rights of ours.
  chmodSync(path, 0o700);
  // A folder whose name is lost in a power cut is lost with all that was synced in it.
  syncFolder(dirname(path));
}

/** Removes folders, innermost first, up to one in which something lies. */
export function removeEmptyFolders(folders: readonly string[]): void {
  try {
    for (const folder of folders) rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(String(errorCode(error)))) throw error;
  }
}
