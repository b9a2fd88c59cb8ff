import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import type { Store } from '../store.ts';
import { copyParts, isDamaged, type PartFinding } from './copy-parts.ts';
import { isDamage } from './damage.ts';
import {
  environmentPath,
  findLayout,
  hasEnvironment,
  LAYOUT,
  LAYOUT_BEFORE,
  openRoot,
  PART_NAMES,
} from './environment.ts';
import { describeFinding } from './findings.ts';
import { dropLostTable } from './reader-table.ts';
import { notProven, rebuild, timeOf } from './rebuild.ts';
import { finishReplacement } from './replace-environment.ts';
import type { TellNews } from './store-news.ts';
import { missingStore } from './store-traces.ts';
import {
  forgetStarts,
  noteDamage,
  noteStart,
  REFUSED,
  SUSPICIOUS,
  takeBackStart,
  unfinishedStarts,
} from './unfinished-starts.ts';
import { tryWriting } from './write-probe.ts';

/** What is wrong with the store in a folder: proven, nothing, or not known. */
type Verdict =
  | { readonly is: 'sound' }
  | {
      readonly is: 'damaged';
      readonly sentences: readonly string[];
      readonly findings: readonly PartFinding[];
    }
  /** `isReadable` says that all of it can be read at least. */
  | { readonly is: 'unknown'; readonly reason: string; readonly isReadable: boolean };

type Damaged = Pick<Verdict & { readonly is: 'damaged' }, 'sentences' | 'findings'>;

/** Whether all of it can be read. Only for the process that holds the lock. */
async function examineRows(folder: string): Promise<Verdict> {
  dropLostTable(environmentPath(folder));
  const outcome = await copyParts({ source: environmentPath(folder), parts: PART_NAMES });
  if (outcome.is === 'unknown') return { ...outcome, isReadable: false };
  if (outcome.is === 'unopenable') return { is: 'damaged', sentences: [outcome.reason], findings: [] };
  const findings = outcome.parts.filter(isDamaged);
  if (findings.length === 0) return { is: 'sound' };
  return { is: 'damaged', sentences: findings.map(describeFinding), findings };
}

/** Whether all of it can be read and written. Only for the process that holds the lock. */
async function examine(folder: string): Promise<Verdict> {
  const rows = await examineRows(folder);
  if (rows.is !== 'sound') return rows;
  const writing = await tryWriting(folder);
  if (writing.is === 'unknown') return { ...writing, isReadable: true };
  if (writing.is === 'ended') return { is: 'damaged', sentences: [ENDS_WRITERS], findings: [] };
  return rows;
}

function timeInName(): string {
  return new Date().toISOString().replaceAll(':', '-');
}

/** Replaces a store that was proven broken by what can be saved of it and of the newest backup, and tells all of it. */
async function repair(folder: string, damage: Damaged, tell: TellNews): Promise<void> {
  const found = damage.sentences;
  tell({
    level: 'error',
    message: 'the store is damaged, saving what can be read',
    details: { data: folder, found },
  });
  const { keptAs, backup, fromBackup, lost, recomputes } = await rebuild(folder, {
    keepAs: `db.broken-${timeInName()}`,
    findings: damage.findings,
    repairOf: found,
  });
  const backupAt = timeOf(backup);
  tell({
    level: 'error',
    message: 'the damaged store was replaced by what could be saved',
    details: {
      data: folder,
      found,
      keptAs,
      backup: backup?.path ?? null,
      backupAt,
      fromBackup,
      lost,
      recomputes,
    },
  });
  forgetStarts(folder);
}

/** Repairs the store if it is damaged; resolves to what it was. Only for the process that holds the lock. */
export async function repairStore(folder: string, tell: TellNews): Promise<Verdict['is']> {
  finishReplacement(folder);
  if (!hasEnvironment(folder)) throw missingStore(folder);
  const verdict = await examine(folder);
  if (verdict.is === 'damaged') await repair(folder, verdict, tell);
  if (verdict.is === 'sound')
    tell({ level: 'info', message: 'the store is sound', details: { data: folder } });
  if (verdict.is === 'unknown')
    tell({ level: 'error', message: NOT_EXAMINED, details: { data: folder, reason: verdict.reason } });
  return verdict.is;
}

const ENDS_WRITERS = 'all rows can be read, but writing to it ends the process';
const NOT_EXAMINED = 'the store could not be examined and is left as it is';

/** Deals with a store that earlier starts failed on. Replaces only what is proven broken. */
async function reconsider(folder: string, tell: TellNews): Promise<void> {
  const { count, damage } = unfinishedStarts(folder);
  const isSuspect = damage !== null || count >= SUSPICIOUS;
  if (!isSuspect || !existsSync(join(environmentPath(folder), 'data.mdb'))) return;
  tell({
    level: 'error',
    message: 'the last starts did not finish, examining the store',
    details: { data: folder, starts: count, damage },
  });
  const verdict = damage === null ? await examine(folder) : orDamaged(await examineRows(folder), damage);
  if (verdict.is === 'damaged') {
    await repair(folder, verdict, tell);
    return;
  }
  if (verdict.is === 'unknown') {
    const { reason, isReadable } = verdict;
    tell({ level: 'error', message: NOT_EXAMINED, details: { data: folder, reason } });
    // Opened once more, in case that only the examination fails; after that somebody has to look.
    if (count >= REFUSED && !isReadable) throw notProven(folder, reason);
    return;
  }
  tell({ level: 'info', message: 'the store is sound', details: { data: folder } });
  forgetStarts(folder);
}

/** All rows of a store that reads well, but was found damaged, go into a new one. */
function orDamaged(verdict: Verdict, damage: string): Verdict {
  return verdict.is === 'sound' ? { is: 'damaged', sentences: [damage], findings: [] } : verdict;
}

const PROGRESS_MS = 5_000;

/** Turns a store of the layout before ours into ours. */
async function upgrade(folder: string, tell: TellNews): Promise<void> {
  const bytes = statSync(join(environmentPath(folder), 'data.mdb')).size;
  const details = { data: folder, from: LAYOUT_BEFORE, to: LAYOUT, bytes };
  tell({ level: 'info', message: 'turning the store into the present layout', details });
  let toldAt = performance.now();
  const { keptAs, lost } = await rebuild(folder, {
    keepAs: `db.layout-${LAYOUT_BEFORE}`,
    onProgress(part, rows) {
      if (performance.now() - toldAt < PROGRESS_MS) return;
      toldAt = performance.now();
      tell({
        level: 'info',
        message: 'still turning the store into the present layout',
        details: { part, rows },
      });
    },
  });
  const level = lost.length === 0 ? 'info' : 'error';
  tell({ level, message: 'the store has the present layout', details: { ...details, keptAs, lost } });
}

interface Recovery {
  readonly open: () => Promise<Store>;
  readonly tell: TellNews;
  /** Whether the start is finished with the opening. If not, the caller says when, by `noteFinished`. */
  readonly isFinishedWhenOpen: boolean;
}

/**
 * Runs `open` under a note of the starts that never finished, as damage can end the process. After two of them, or one
 * that found damage, the store is examined in other processes, and if it is broken what can be saved takes its place.
 */
export async function openWithRecovery(
  folder: string,
  { open, tell, isFinishedWhenOpen }: Recovery,
): Promise<Store> {
  await reconsider(folder, tell);
  noteStart(folder);
  try {
    const opened = await open().catch(async (error: unknown) => {
      if (!(await isOfLayoutBefore(folder, error))) throw error;
      await upgrade(folder, tell);
      return open();
    });
    opened.onDamage((error) => noteDamage(folder, error.message, tell));
    if (isFinishedWhenOpen) takeBackStart(folder, tell);
    return opened;
  } catch (error) {
    if (error instanceof StoreError && isDamage(error)) noteDamage(folder, error.message, tell);
    else takeBackStart(folder, tell);
    throw error;
  }
}

async function isOfLayoutBefore(folder: string, error: unknown): Promise<boolean> {
  if (!(error instanceof StoreError) || error.code !== 'STORE_LAYOUT') return false;
  const root = openRoot(environmentPath(folder), true);
  try {
    return findLayout(root).is === 'before';
  } finally {
    await root.close();
  }
}
