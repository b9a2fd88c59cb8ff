import { accessSync, constants, statSync } from 'node:fs';
import { StoreError } from '../errors.ts';
import { errorCode } from './system-error.ts';

/** Throws when this user may not look into a part of a data folder: nobody can tell what is there or is missing. */
export function expectReadable(folder: string, part = folder): void {
  try {
    const isFolder = statSync(part, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder) accessSync(part, constants.R_OK | constants.X_OK);
  } catch (cause) {
    const code = errorCode(cause);
    if (code !== 'EACCES' && code !== 'EPERM') return;
    const message = `this user may not look into the data folder ${folder}: run this as the user who runs the engine`;
    throw new StoreError('STORE_UNREADABLE', message, { cause });
  }
}
