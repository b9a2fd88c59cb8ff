import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { expectReadable } from '../readable-folder.ts';
import { EDGE_COPIES } from '../store.ts';
import { isDiskFull } from '../system-error.ts';

/** Kept beside a store, so that no empty one takes its place when it is gone. */
const MADE = 'db.made';
const MADE_TEXT =
  'A store was begun in this folder. While this file is here, no empty one takes the place of a store that is gone.\n';

/** Of a folder without a store: what lies there and what to do. */
export function missingStore(folder: string, traces: readonly string[] = storeTraces(folder)): StoreError {
  const remedy =
    `; there was one, as these show: ${traces.join(', ')}; put the db folder of a backup, or one that was kept, ` +
    `back as ${join(folder, 'db')}, or start on another folder to begin anew`;
  const why = traces.length > 0 ? remedy : whyNone(folder);
  return new StoreError('STORE_MISSING', `there is no store in ${folder}${why}`);
}

/** Of a folder in which none ever was. */
function whyNone(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isFile()) return ': it is a file, not a folder';
  const remedy = 'name the folder of an engine, or begin one with `tallywire start`';
  if (found === undefined) return `: there is no such folder; ${remedy}`;
  const isOfEdge = existsSync(join(folder, EDGE_COPIES));
  return isOfEdge
    ? ': it is that of an edge, which keeps only copies; name that of an engine'
    : `; ${remedy}`;
}

/** What lies in a data folder and shows that a store is or was there, by path from the folder. */
export function storeTraces(folder: string): readonly string[] {
  for (const part of [folder, join(folder, 'db')]) expectReadable(folder, part);
  const backups = namesIn(join(folder, 'backups')).map((name) => join('backups', name));
  return [...namesIn(folder).filter((name) => /^db(\.|$)/.test(name)), ...backups].sort();
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
}

/** Whether the store in a folder was once opened as ours. */
export function wasBegun(folder: string): boolean {
  return existsSync(join(folder, MADE));
}

export function rememberStore(folder: string): void {
  if (wasBegun(folder)) return;
  try {
    writeFileSync(join(folder, MADE), MADE_TEXT, { mode: 0o600 });
  } catch (error) {
    // A full disk can still be read from, so it does not forbid opening.
    if (!isDiskFull(error)) throw error;
  }
}
