import {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { isClaimed } from '../lock.ts';
import { errorCode } from '../system-error.ts';

/**
 * LMDB notes in `lock.mdb` which version of the data each reader reads: every read writes to that file, through a shared
 * mapping. While a file system is frozen, as during a snapshot, such a write waits, and with it the whole process. On a
 * full disk it may even end the process. So the file is a link into the memory of the machine, which is never frozen.
 */

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
/** More than LMDB needs for its readers. It has its place at once, so that no write to the mapping can fail. */
const TABLE_BYTES = 64 * 1024;

const linkAt = (path: string) => join(path, 'lock.mdb');

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** The folder for the tables of a user's stores; undefined where it cannot be trusted, or there is no such memory. */
function tablesOf({ uid, gid }: Stats): string | undefined {
  if (process.platform !== 'linux' || statOf(MEMORY) === undefined) return undefined;
  if (statfsSync(MEMORY).type !== TMPFS) return undefined;
  const tables = join(MEMORY, `tallywire-${uid}`);
  try {
    mkdirSync(tables, { mode: 0o700 });
    giveTo(tables, uid, gid);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return undefined;
  }
  const found = statOf(tables);
  const isOurs = found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
  return isOurs ? tables : undefined;
}

/** What root makes in a folder of somebody else belongs to them. */
function giveTo(path: string, uid: number, gid: number): void {
  if (process.getuid?.() !== uid) chownSync(path, uid, gid);
}

/** Named after the folder, so that a copy of the folder has a table of its own, and after the memory it is in. */
function tableOf(path: string): string | undefined {
  const stats = statSync(path);
  const tables = tablesOf(stats);
  return tables && join(tables, `${statSync(MEMORY).dev}-${stats.dev}-${stats.ino}`);
}

/** Whole from the moment it is there. */
function makeTable(table: string, { uid, gid }: Stats): boolean {
  if (statOf(table) !== undefined) return true;
  const part = `${table}.${process.pid}`;
  try {
    writeFileSync(part, Buffer.alloc(TABLE_BYTES), { mode: 0o600 });
    giveTo(part, uid, gid);
    linkSync(part, table);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return false;
  } finally {
    rmSync(part, { force: true });
  }
  return true;
}

/**
 * Whether the link leads to another table than that of the environment at `path`, as in a copy of its folder, or to none,
 * as after a restart of the machine. LMDB cannot be opened then, or would believe what is not about this environment.
 */
function hasLostTable(path: string): boolean {
  const link = linkAt(path);
  if (statOf(link)?.isSymbolicLink() !== true) return false;
  const table = tableOf(path);
  return table === undefined || readlinkSync(link) !== table || statOf(table) === undefined;
}

/** For whoever knows that no writer has the environment at `path` open. */
export function dropLostTable(path: string): void {
  if (hasLostTable(path)) rmSync(linkAt(path), { force: true });
}

/**
 * For the writer of the environment at `path`, which alone puts the table into memory, where there is some. Readers and
 * the writer must use the same table, or the writer would overwrite what a reader is reading: a plain file, as a reader
 * makes one when there is no writer, stays while `isRead`.
 */
export async function placeReaderTable(path: string, isRead: () => Promise<boolean>): Promise<void> {
  dropLostTable(path);
  const link = linkAt(path);
  const found = statOf(link);
  if (found?.isSymbolicLink() === true) return;
  const table = tableOf(path);
  if (table === undefined || (found !== undefined && (await isRead()))) return;
  if (!makeTable(table, statSync(path))) return;
  const part = `${link}.${process.pid}`;
  rmSync(part, { force: true });
  symlinkSync(table, part);
  renameSync(part, link);
}

/** For a reader of the environment at `path`, which lies in a data folder. What a writer left that was ended is put away. */
export async function checkReaderTable(path: string): Promise<void> {
  if (!hasLostTable(path)) return;
  const folder = dirname(path);
  if (await isClaimed(folder)) throw elsewhere(folder);
  rmSync(linkAt(path), { force: true });
}

/** After a stop in order, when nobody else reads, or before the environment is removed: nothing stays behind. */
export function removeReaderTable(path: string): void {
  // A store that is closed may have been moved away or removed.
  if (statOf(path) === undefined) return;
  const table = tableOf(path);
  const link = linkAt(path);
  if (table === undefined || statOf(link)?.isSymbolicLink() !== true || readlinkSync(link) !== table) return;
  rmSync(link, { force: true });
  rmSync(table, { force: true });
}

function elsewhere(folder: string): StoreError {
  return new StoreError(
    'STORE_ELSEWHERE',
    `the store in ${folder} is in use by a process with another ${MEMORY}, as in another container; ` +
      'run this beside it, or read a backup',
  );
}
