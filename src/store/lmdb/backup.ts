import { readdirSync, statSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { syncToDisk } from '../sync-to-disk.ts';
import { describe } from '../system-error.ts';
import { type Environment, environmentPath } from './environment.ts';
import { replaceEnvironment } from './replace-environment.ts';

/** A copy appears under its name only when it is whole and on disk. */
async function publish(part: string, path: string): Promise<void> {
  await syncToDisk(join(part, 'data.mdb'));
  await syncToDisk(part);
  await rename(part, path);
  await syncToDisk(join(path, '..'));
}

/** Copies the environment as of now into `target`, a new or empty folder, which then opens as a store. */
export async function copyEnvironment(environment: Environment, target: string): Promise<void> {
  const part = `${environmentPath(target)}.part`;
  try {
    await mkdir(target, { recursive: true });
    const found = await readdir(target);
    if (found.length > 0) {
      throw new StoreError('STORE_BACKUP', `cannot back up into ${target}: it is not empty`);
    }
    await mkdir(part);
    // Without compaction: that mode refuses stores with leaked pages, which must be backed up too.
    await environment.root.backup(part, false).catch(async (error: unknown) => {
      await rm(part, { recursive: true, force: true });
      throw error;
    });
    await publish(part, environmentPath(target));
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError('STORE_BACKUP', `cannot back up into ${target}: ${describe(cause)}`, { cause });
  }
}

/** A data folder under `backups`, and when it was copied, UTC ms. */
export interface Backup {
  readonly path: string;
  readonly at: number;
}

/** Those under `<folder>/backups`, the newest first. */
export function backupsOf(folder: string): readonly Backup[] {
  const backups = join(folder, 'backups');
  if (statSync(backups, { throwIfNoEntry: false }) === undefined) return [];
  const found = readdirSync(backups).flatMap((name) => {
    const stats = statSync(join(backups, name, 'db', 'data.mdb'), { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ path: join(backups, name), at: stats.mtimeMs }];
  });
  return found.sort((a, b) => b.at - a.at);
}
