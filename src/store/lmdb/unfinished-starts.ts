import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, StoreError } from '../../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { isDiskFull } from '../system-error.ts';
import type { TellNews } from './store-news.ts';

/** A life that did not end in order counts two, or one if it went well for a while; a stop in order forgets them all. */
const UNFINISHED = 2;
const SETTLED = 1;
/** From here on the store itself is suspected: after two lives that were short, or four that were not. */
export const SUSPICIOUS = 4;
/** From here on a store that nobody can examine is refused: it was opened as it is, and that did not go well either. */
export const REFUSED = SUSPICIOUS + UNFINISHED;

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

export function forgetStarts(folder: string): void {
  rmSync(path(folder), { force: true });
}

function write(folder: string, { count, damage }: UnfinishedStarts): void {
  if (count === 0 && damage === null) {
    forgetStarts(folder);
    return;
  }
  try {
    writeFileSync(path(folder), damage === null ? String(count) : `${count}\n${damage}`, { mode: 0o600 });
  } catch (error) {
    // A full disk can still be read from, so it does not forbid opening.
    if (!isDiskFull(error)) throw error;
  }
}

export function noteStart(folder: string): void {
  try {
    makeFolder(folder);
    const { count, damage } = unfinishedStarts(folder);
    write(folder, { count: count + UNFINISHED, damage });
  } catch (cause) {
    const message = `cannot use ${folder} as a data folder: ${messageOf(cause)}`;
    throw new StoreError('STORE_UNWRITABLE', message, { cause });
  }
}

/** A note that cannot be changed, as on a disk that became read-only, is told: what it is about matters more. */
function change(
  folder: string,
  tell: TellNews,
  changed: (starts: UnfinishedStarts) => UnfinishedStarts,
): void {
  try {
    write(folder, changed(unfinishedStarts(folder)));
  } catch (error) {
    const details = { data: folder, reason: messageOf(error) };
    tell({ level: 'error', message: 'cannot note in the data folder how the start went', details });
  }
}

/** This start ended in order, which says nothing about earlier ones. */
export function takeBackStart(folder: string, tell: TellNews): void {
  change(folder, tell, ({ count, damage }) => ({ count: Math.max(0, count - UNFINISHED), damage }));
}

/** The start went well for a while. However many of those there were, the store is no worse than suspicious. */
export function noteSettled(folder: string, tell: TellNews): void {
  change(folder, tell, ({ count, damage }) => {
    const settled = Math.max(0, count - UNFINISHED + SETTLED);
    return { count: Math.min(settled, SUSPICIOUS), damage };
  });
}

/** The next start examines the store. */
export function noteDamage(folder: string, damage: string, tell: TellNews): void {
  change(folder, tell, ({ count }) => ({ count, damage }));
}

/**
 * The life ended in order. One that found damage counts all the same: a store that nobody can examine would otherwise be
 * opened for ever.
 */
export function noteFinished(folder: string, tell: TellNews): void {
  change(folder, tell, ({ count, damage }) => ({ count: damage === null ? 0 : count, damage }));
}
