import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, StoreError } from '../../errors.ts';
import { makeFolder, removeEmptyFolders } from '../make-folder.ts';
import { takeRights } from '../private-folder.ts';
import { syncToDisk } from '../sync-to-disk.ts';
import { type Environment, environmentPath, hasEnvironment } from './environment.ts';

/** A copy appears under its name only when it is whole and on disk. */
async function publish(part: string, path: string): Promise<void> {
  takeRights(join(part, 'data.mdb'));
  await syncToDisk(join(part, 'data.mdb'));
  await syncToDisk(part);
  await rename(part, path);
  await syncToDisk(join(path, '..'));
}

/** A part of a copy, under a name of its own: whoever finds it may remove it, and nobody takes it for theirs. */
const PART = /^db\.part-[0-9a-f]+$/;

/** Parts are left by processes that were ended while they copied. */
async function removeParts(target: string): Promise<void> {
  const found = await readdir(target);
  if (!found.every((name) => PART.test(name))) {
    throw new StoreError('STORE_BACKUP', `cannot back up into ${target}: it is not empty`);
  }
  for (const name of found) await rm(join(target, name), { recursive: true, force: true });
}

/** Copies the environment as of now into `target`, a new or empty folder, which then opens as a store. */
export async function copyEnvironment(environment: Environment, target: string): Promise<void> {
  try {
    const made = makeFolder(target);
    await removeParts(target);
    const part = join(target, `db.part-${randomBytes(8).toString('hex')}`);
    try {
      await mkdir(part, { mode: 0o700 });
      // Without compaction: that mode refuses stores with leaked pages, which must be backed up too.
      await environment.root.backup(part, false);
      await publish(part, environmentPath(target));
    } catch (error) {
      await rm(part, { recursive: true, force: true });
      removeEmptyFolders(made);
      throw error;
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError('STORE_BACKUP', `cannot back up into ${target}: ${messageOf(cause)}`, { cause });
  }
}

/** A data folder under `backups`, and when it was copied, UTC ms. */
export interface Backup {
  readonly path: string;
  readonly at: number;
}

/** The whole copies under `<folder>/backups`, the newest first. */
export function backupsOf(folder: string): readonly Backup[] {
  const backups = join(folder, 'backups');
  if (statSync(backups, { throwIfNoEntry: false }) === undefined) return [];
  const found = readdirSync(backups)
    .map((name) => join(backups, name))
    .filter(hasEnvironment)
    .map((path) => ({ path, at: statSync(join(environmentPath(path), 'data.mdb')).mtimeMs }));
  return found.sort((a, b) => b.at - a.at);
}
