import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { leaveDeadSocket } from '../support/data-folder.ts';
import type { Image } from './crash-disk.ts';

/** The files that were left when a recording ended, each under its number: a file of an image is the same one, not a copy. */
export type Vault = ReadonlyMap<number, string>;

/** Where the files are that were left at the end of a recording, whose image is `last`. */
export function vaultOf(last: Image, folder: string): Vault {
  const files = [...last.entries.values()].filter((entry) => entry.is === 'file');
  return new Map(files.map(({ file }) => [file, join(folder, String(file))]));
}

/** Puts the files that were left in `root` there. */
export function fillVault(root: string, last: Image, folder: string): void {
  mkdirSync(folder);
  for (const [path, entry] of last.entries)
    if (entry.is === 'file') linkSync(join(root, path), join(folder, String(entry.file)));
}

/** LMDB writes its table of readers through memory, which is not recorded: anything may be in it. */
const isReaderTable = (path: string) => basename(path) === 'lock.mdb';

/** Lays an image out in the empty folder `root`. */
export async function layOut(
  { entries }: Image,
  root: string,
  vault: Vault,
  random: () => number,
): Promise<void> {
  for (const [path, entry] of entries) {
    const target = join(root, path);
    switch (entry.is) {
      case 'folder':
        mkdirSync(target, { mode: 0o700 });
        break;
      case 'link':
        symlinkSync(entry.to, target);
        break;
      case 'socket':
        await leaveDeadSocket(dirname(target), basename(target));
        break;
      case 'file': {
        const kept = vault.get(entry.file);
        if (kept !== undefined) linkSync(kept, target);
        const bytes = isReaderTable(path) ? entry.bytes.map(() => Math.floor(random() * 256)) : entry.bytes;
        writeFileSync(target, bytes, { mode: 0o600 });
      }
    }
  }
}

/** The first difference between an image and what lies in a folder. */
export function differenceIn({ entries }: Image, root: string): string | undefined {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const other =
    names.find((name) => !entries.has(name)) ?? [...entries.keys()].find((each) => !names.includes(each));
  if (other !== undefined) return `${other} is in one of them only`;
  for (const [path, entry] of entries) {
    const target = join(root, path);
    if (entry.is === 'link' && readlinkSync(target) !== entry.to) return `${path} leads elsewhere`;
    if (entry.is === 'folder' && !lstatSync(target).isDirectory()) return `${path} is no folder`;
    if (entry.is !== 'file' || isReaderTable(path)) continue;
    const bytes = readFileSync(target);
    if (bytes.length !== entry.bytes.length)
      return `${path} has ${bytes.length} and ${entry.bytes.length} bytes`;
    if (bytes.equals(entry.bytes)) continue;
    return `${path} differs at byte ${bytes.findIndex((byte, index) => byte !== entry.bytes[index])}`;
  }
  return undefined;
}
