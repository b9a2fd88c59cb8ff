import { chmodSync, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './system-error.ts';

/** All rights of the group and of everybody else. */
const RIGHTS_OF_OTHERS = 0o077;

/** What others may do in a data folder: nothing, nothing any more, or still something as it is not ours to change. */
export type Privacy = 'private' | 'made private' | 'open to others';

/** What an operator should know of it, if anything. */
export function privacyText(privacy: Privacy): string | undefined {
  switch (privacy) {
    case 'private':
      return undefined;
    case 'made private':
      return 'other users could look into the data folder: it is closed to them now';
    case 'open to others':
      return 'other users can look into the data folder, which belongs to another user: close it with chmod 700';
  }
}

/** Folders of ours in a data folder. Others that lie there are closed with the data folder itself. */
const OURS = /^(db(\..*)?|backups)$/;

/** Takes the rights of others to a data folder, the files in it, and its stores and backups. */
export function keepPrivate(folder: string): Privacy {
  const privacy = takeRights(folder);
  for (const { path, name, isFolder } of entriesOf(folder)) {
    if (isFolder && OURS.test(name)) keepAllPrivate(path);
    if (!isFolder) takeRights(path);
  }
  return privacy;
}

function keepAllPrivate(folder: string): void {
  takeRights(folder);
  for (const { path, isFolder } of entriesOf(folder)) {
    if (isFolder) keepAllPrivate(path);
    else takeRights(path);
  }
}

/** Without links, which may lead out of the folder. None of a folder that is gone meanwhile. */
function entriesOf(folder: string) {
  return namesIn(folder)
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => ({ name: entry.name, path: join(folder, entry.name), isFolder: entry.isDirectory() }));
}

function namesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Leaves what belongs to another user, lies on a disk that cannot be written, or is gone. A link has no rights. */
export function takeRights(path: string): Privacy {
  try {
    const stats = lstatSync(path);
    const { mode } = stats;
    if (stats.isSymbolicLink() || (mode & RIGHTS_OF_OTHERS) === 0) return 'private';
    chmodSync(path, mode & 0o777 & ~RIGHTS_OF_OTHERS);
    return 'made private';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'private';
    if (['EPERM', 'EROFS'].includes(String(errorCode(error)))) return 'open to others';
    throw error;
  }
}
