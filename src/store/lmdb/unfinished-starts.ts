import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { describe, errorCode } from '../system-error.ts';

/** A life that did not end in order counts two, or one if it went well for a while; a stop in order forgets them all. */
const UNFINISHED = 2;
const SETTLED = 1;
/** From here on the store itself is suspected: after two lives that were short, or four that were not. */
export const SUSPICIOUS = 4;

/** What earlier starts left in the folder: damage can end a process before it says anything. */
interface UnfinishedStarts {
  readonly count: number;
  /** Damage that one of them found. */
  readonly damage: string | null;
}

const NONE: UnfinishedStarts = { count: 0, damage: null };

function path(folder: string): string {
  return join(folder, 'opening');
}

export function unfinishedStarts(folder: string): UnfinishedStarts {
  if (!existsSync(path(folder))) return NONE;
  const [count = '', ...damage] = readFileSync(path(folder), 'utf8').split('\n');
  return { count: Number(count) || 0, damage: damage.join('\n').trim() || null };
}

function write(folder: string, { count, damage }: UnfinishedStarts): void {
  try {
    makeFolder(folder);
    writeFileSync(path(folder), damage === null ? String(count) : `${count}\n${damage}`, { mode: 0o600 });
  } catch (cause) {
    // A full disk can still be read from, so it does not forbid opening.
    if (errorCode(cause) === 'ENOSPC') return;
    const message = `cannot use ${folder} as a data folder: ${describe(cause)}`;
    throw new StoreError('STORE_UNWRITABLE', message, { cause });
  }
}

export function noteStart(folder: string): void {
  const { count, damage } = unfinishedStarts(folder);
  write(folder, { count: count + UNFINISHED, damage });
}

/** The start went well for a while. */
export function noteSettled(folder: string): void {
  const { count, damage } = unfinishedStarts(folder);
  write(folder, { count: Math.max(0, count - UNFINISHED + SETTLED), damage });
}

/** The next start examines the store. */
export function noteDamage(folder: string, damage: string): void {
  write(folder, { ...unfinishedStarts(folder), damage });
}

/** The life ended in order. Damage that it found stays noted. */
export function noteFinished(folder: string): void {
  const { damage } = unfinishedStarts(folder);
  if (damage === null) forgetStarts(folder);
  else write(folder, { count: 0, damage });
}

export function forgetStarts(folder: string): void {
  rmSync(path(folder), { force: true });
}
