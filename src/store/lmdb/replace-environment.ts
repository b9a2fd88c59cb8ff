import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, StoreError } from '../../errors.ts';
import { diskUse } from '../disk.ts';
import { syncFolder, syncToDisk } from '../sync-to-disk.ts';
import { environmentPath } from './environment.ts';
import { removeReaderTable } from './reader-table.ts';

/** In a whole new environment that waits for its place. Holds the name under which the old one is kept. */
const COMPLETE = 'complete';
/** Where the old one goes when that name cannot be read. */
const KEPT_OTHERWISE = 'db.replaced';
const KEPT_NAME = /^db\.(?!next)[\w.-]+$/;

/**
 * A new environment, and whatever lies beside it under its name with an ending. Each has a name of its own: a process
 * that helped to build one, and outlived the kill of its parent, must not write into the one that follows.
 */
const NEXT = /^db\.next/;

function isComplete(path: string): boolean {
  return existsSync(join(path, COMPLETE));
}

/** Removes an environment, if it is there, that nobody needs any more. */
export function removeEnvironment(path: string): void {
  removeReaderTable(path);
  // A process that helped to build it, and outlived its parent, may still put files there.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** What an environment without rows takes, and some room. */
const LEAST_BYTES = 2 * 1024 * 1024;
/** Checksums and the order of rows may make the new one larger than the old. */
const GROWTH = 1.25;

/** LMDB does not survive a full disk while it writes, so there has to be room before. */
async function requireRoom(folder: string): Promise<void> {
  const file = join(environmentPath(folder), 'data.mdb');
  const needed = LEAST_BYTES + (existsSync(file) ? Math.ceil(GROWTH * statSync(file).size) : 0);
  const { freeBytes } = await diskUse(folder);
  if (freeBytes >= needed) return;
  throw new StoreError(
    'STORE_FULL',
    `no space left on the disk for a new store in ${folder}: it needs ${needed} bytes, and ${freeBytes} are free`,
  );
}

/**
 * Puts a whole new environment in the place of the one in `folder`, if there is one, which is kept beside it under the
 * name `keepAs` (`db.<something>`), or that name and a number. `build` writes it into a new, empty folder, and has closed
 * it when it resolves. Killed at any instant, `finishReplacement` makes of it the old state or the new one.
 * Only for the process that holds the lock, with no environment of `folder` open for writing.
 */
export async function replaceEnvironment(
  folder: string,
  keepAs: string,
  build: (path: string) => Promise<void>,
): Promise<void> {
  if (!KEPT_NAME.test(keepAs))
    throw new RangeError(`expected a name like db.old to keep it as, was ${keepAs}`);
  finishReplacement(folder);
  await requireRoom(folder);
  const next = join(folder, `db.next-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(next, { mode: 0o700 });
    await build(next);
    for (const name of readdirSync(next)) {
      // A copied file comes with the rights of the original, which may be closed even to us.
      chmodSync(join(next, name), 0o600);
      await syncToDisk(join(next, name));
    }
    const part = join(next, `${COMPLETE}.part`);
    await writeFile(part, keepAs, { mode: 0o600, flush: true });
    await syncToDisk(next);
    renameSync(part, join(next, COMPLETE));
  } catch (error) {
    removeEnvironment(next);
    throw error;
  }
  finishReplacement(folder);
}

/** Ends what a killed process left of a replacement: a whole new environment takes its place, a part of one is removed. */
export function finishReplacement(folder: string): void {
  try {
    const found = existsSync(folder) ? readdirSync(folder).filter((name) => NEXT.test(name)) : [];
    for (const next of found.map((name) => join(folder, name))) {
      if (isComplete(next)) takePlace(folder, next);
      else removeEnvironment(next);
    }
    if (isComplete(environmentPath(folder))) rmSync(join(environmentPath(folder), COMPLETE));
  } catch (cause) {
    const message = `cannot put the new store of ${folder} in its place: ${messageOf(cause)}`;
    throw new StoreError('STORE_UNWRITABLE', message, { cause });
  }
}

function takePlace(folder: string, next: string): void {
  const path = environmentPath(folder);
  // The mark is on disk before the old environment moves.
  syncFolder(next);
  removeReaderTable(path);
  if (existsSync(path)) renameSync(path, join(folder, freeName(folder, keptName(next))));
  renameSync(next, path);
  syncFolder(folder);
}

function keptName(next: string): string {
  const name = readFileSync(join(next, COMPLETE), 'utf8');
  return KEPT_NAME.test(name) ? name : KEPT_OTHERWISE;
}

function freeName(folder: string, name: string, attempt = 1): string {
  const tried = attempt === 1 ? name : `${name}-${attempt}`;
  return existsSync(join(folder, tried)) ? freeName(folder, name, attempt + 1) : tried;
}
