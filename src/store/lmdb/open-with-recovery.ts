import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreError } from '../../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { describe, errorCode } from '../system-error.ts';
import { newestBackup, restoreBackup } from './backup.ts';
import { environmentPath } from './environment.ts';

/** After this many opens in a row that never returned, the store itself is suspected. */
const MAX_UNFINISHED = 2;

const CHECK_TIMEOUT_MS = 30_000;

function markerPath(folder: string): string {
  return join(folder, 'opening');
}

function unfinishedOpens(folder: string): number {
  const path = markerPath(folder);
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) || 0 : 0;
}

function mark(folder: string, count: number): void {
  try {
    makeFolder(folder);
    writeFileSync(markerPath(folder), String(count));
  } catch (cause) {
    // A full disk can still be read from, so it does not forbid opening.
    if (errorCode(cause) === 'ENOSPC') return;
    const message = `cannot use ${folder} as a data folder: ${describe(cause)}`;
    throw new StoreError('STORE_UNWRITABLE', message, { cause });
  }
}

/** Opens the store in another process, because a broken one may end the process from within C. */
function isSound(folder: string): Promise<boolean> {
  const check = new URL(`./open-check${extname(import.meta.url)}`, import.meta.url);
  const args = [...process.execArgv, fileURLToPath(check), folder];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: CHECK_TIMEOUT_MS }, (error) => resolve(error === null));
  });
}

async function replaceBroken(folder: string): Promise<void> {
  const backup = newestBackup(folder);
  const path = environmentPath(folder);
  if (backup === undefined) {
    throw new StoreError(
      'STORE_BROKEN',
      `the store in ${folder} is broken and there is no backup in ${join(folder, 'backups')}; ` +
        `put one there, or move ${path} away to begin anew`,
    );
  }
  const time = new Date().toISOString().replaceAll(':', '-');
  await restoreBackup(folder, backup, `db.broken-${time}`);
}

/**
 * Runs `open` under a marker file that counts the opens that never returned, as corruption can abort the
 * process. After two of them the store is first opened in another process, and if it is broken the newest
 * backup takes its place.
 */
export async function openWithRecovery<T>(folder: string, open: () => Promise<T>): Promise<T> {
  const unfinished = unfinishedOpens(folder);
  const isSuspect = unfinished >= MAX_UNFINISHED && existsSync(environmentPath(folder));
  if (isSuspect && !(await isSound(folder))) await replaceBroken(folder);
  mark(folder, unfinished + 1);
  try {
    const opened = await open();
    rmSync(markerPath(folder), { force: true });
    return opened;
  } catch (error) {
    const isBroken = error instanceof StoreError && /^STORE_(BROKEN|CORRUPT)$/.test(error.code);
    if (!isBroken) rmSync(markerPath(folder), { force: true });
    throw error;
  }
}
