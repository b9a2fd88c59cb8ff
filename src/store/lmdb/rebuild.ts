import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { REPAIR_NOTE } from '../store.ts';
import { type Backup, backupsOf } from './backup.ts';
import { rowName } from './checked-rows.ts';
import { type CopyOutcome, copyParts, isDamaged, type PartFinding } from './copy-parts.ts';
import { forgetDerivedMarks } from './derived-parts.ts';
import {
  type Environment,
  EVENT_HEADS,
  environmentPath,
  LAYOUT,
  openEnvironment,
  PART_NAMES,
  TIMELINES,
} from './environment.ts';
import { describeFinding } from './findings.ts';
import { openNotes } from './folder-notes.ts';
import { markOutputs } from './output-mark.ts';
import { removeEnvironment, replaceEnvironment } from './replace-environment.ts';
import {
  closeGaps,
  dropDamagedCheckpoints,
  fillFrom,
  fillLog,
  fillRules,
  logHead,
  settleAccounts,
  settleOutputs,
} from './settle.ts';

/** The feed's frames are not: their numbers end with the file, as in a copy. What follows from the outputs is made again. */
const COPIED = PART_NAMES.filter(
  (name) => !name.startsWith('feed') && name !== TIMELINES && name !== EVENT_HEADS,
);
/** Parts with rows under names that nothing but a backup can bring back. */
const NAMED = ['keys', 'waitlistIndex', 'payments', 'notes'] as const;
const KEPT_ONLY_HERE = new Set<string>([...NAMED, 'alerts', 'waitlist', 'journal', 'meta']);

/** What became of a store that was replaced. */
interface Rebuilt {
  /** Where the old one lies. */
  readonly keptAs: string;
  /** The backup that rows were taken from. */
  readonly backup: Backup | null;
  /** Rows taken from it, by part. */
  readonly fromBackup: Readonly<Record<string, number>>;
  /** What is in neither, as sentences. */
  readonly lost: readonly string[];
  /** Whether the outputs have to be computed again from the log. */
  readonly recomputes: boolean;
}

interface RebuildOptions {
  readonly keepAs: string;
  /** What an examination found, which compares the parts with each other too. */
  readonly findings?: readonly PartFinding[];
  /** What was wrong, if this is a repair, which the new store keeps a note of. */
  readonly repairOf?: readonly string[];
  readonly onProgress?: (part: string, rows: number) => void;
}

/**
 * Puts a new store in the place of the one in `folder`: of all its rows whose checksums hold, and of the newest sound
 * backup those that are missing. Killed at any instant, the old or the new one is there. Rejects, with nothing changed,
 * when there is nothing to make one of.
 */
export async function rebuild(
  folder: string,
  { keepAs, findings = [], repairOf, onProgress }: RebuildOptions,
): Promise<Rebuilt> {
  const keptAs = join(folder, keepAs);
  let result: Rebuilt | undefined;
  await replaceEnvironment(folder, keepAs, async (path) => {
    const copied = await copyParts({
      source: environmentPath(folder),
      target: path,
      parts: COPIED,
      ...(onProgress && { onProgress }),
    });
    if (copied.is === 'unknown') throw notProven(folder, copied.reason);
    const built =
      copied.is === 'unopenable'
        ? await fromBackupAlone(folder, path, copied.reason)
        : await fromBoth(folder, path, { ...copied, parts: joined(copied.parts, findings) });
    result = { keptAs, ...built };
    if (repairOf !== undefined) await noteRepair(path, repairOf, result);
  });
  if (result === undefined) throw new RangeError('a replacement ended without being built');
  return result;
}

/** Written before the new store takes its place, so that no kill leaves one that does not know of its repair. */
async function noteRepair(path: string, found: readonly string[], rebuilt: Rebuilt): Promise<void> {
  const { keptAs, backup, fromBackup, lost } = rebuilt;
  const environment = await openEnvironment(path, { isReadOnly: false, path });
  try {
    const note = { at: Date.now(), found, keptAs, backupAt: timeOf(backup), fromBackup, lost };
    await openNotes(environment).set(REPAIR_NOTE, JSON.stringify(note));
  } finally {
    await environment.close();
  }
}

/** When a backup was copied, as text. */
export function timeOf(backup: Backup | null): string | null {
  return backup && new Date(backup.at).toISOString();
}

/** Of each part what is damaged, if it is in either. */
function joined(copied: readonly PartFinding[], examined: readonly PartFinding[]): readonly PartFinding[] {
  return copied.map((finding) =>
    isDamaged(finding) ? finding : (examined.find(({ part }) => part === finding.part) ?? finding),
  );
}

/** Nothing is replaced for a reason that proves nothing. */
export function notProven(folder: string, reason: string): StoreError {
  return new StoreError('STORE_UNCHECKED', `the store in ${folder} could not be examined: ${reason}`);
}

/** The newest backup whose rows and parts are all sound. */
async function soundBackup(folder: string): Promise<Backup | undefined> {
  for (const backup of backupsOf(folder)) {
    const outcome = await copyParts({ source: environmentPath(backup.path), parts: PART_NAMES });
    if (outcome.is === 'read' && !outcome.parts.some(isDamaged)) return backup;
  }
  return undefined;
}

async function fromBackupAlone(
  folder: string,
  path: string,
  reason: string,
): Promise<Omit<Rebuilt, 'keptAs'>> {
  const backup = await soundBackup(folder);
  if (backup === undefined) {
    throw new StoreError(
      'STORE_BROKEN',
      `the store in ${folder} is broken (${reason}) and there is no sound backup in ${join(folder, 'backups')}; ` +
        'put one there, or start on another folder to begin anew',
    );
  }
  // What is left of the attempt to copy from the broken one.
  removeEnvironment(path);
  const copied = await copyParts({ source: environmentPath(backup.path), target: path, parts: COPIED });
  if (copied.is !== 'read') throw notProven(backup.path, copied.reason);
  const rows = Object.fromEntries(copied.parts.map(({ part, rows }) => [part, rows]));
  const settled = await settle(path, copied, undefined);
  const lost = [`everything since ${timeOf(backup)} is lost: ${reason}`, ...settled.lost];
  return { backup, fromBackup: rows, lost, recomputes: settled.recomputes };
}

type Copied = CopyOutcome & { readonly is: 'read' };

async function fromBoth(folder: string, path: string, copied: Copied): Promise<Omit<Rebuilt, 'keptAs'>> {
  const isHurt = copied.parts.some((finding) => KEPT_ONLY_HERE.has(finding.part) && isDamaged(finding));
  const backup = isHurt ? await soundBackup(folder) : undefined;
  const opened = backup && (await openBackup(backup, `${path}.backup`));
  try {
    const settled = await settle(path, copied, opened?.environment);
    return { backup: backup ?? null, ...settled };
  } finally {
    await opened?.close();
  }
}

interface OpenBackup {
  readonly environment: Environment;
  close(): Promise<void>;
}

/** Opens a copy in our layout, in a folder that is removed again: a backup is never changed, not even by opening it. */
async function openBackup(backup: Backup, turnedPath: string): Promise<OpenBackup> {
  const path = environmentPath(backup.path);
  removeEnvironment(turnedPath);
  const copied = await copyParts({ source: path, target: turnedPath, parts: COPIED });
  if (copied.is !== 'read') throw notProven(backup.path, copied.reason);
  const environment = await openEnvironment(turnedPath, { isReadOnly: false, path: turnedPath });
  return {
    environment,
    async close() {
      await environment.close();
      removeEnvironment(turnedPath);
    },
  };
}

async function settle(
  path: string,
  { layout, parts, upTo }: Copied,
  backup: Environment | undefined,
): Promise<Pick<Rebuilt, 'fromBackup' | 'lost' | 'recomputes'>> {
  const environment = await openEnvironment(path, { isReadOnly: false, path });
  try {
    const fromBackup: Record<string, number> = {};
    const hurt = new Map(
      parts.filter(isDamaged).map((finding): [string, PartFinding] => [finding.part, finding]),
    );
    const lost: string[] = [];
    if (backup !== undefined) {
      for (const part of NAMED) {
        if (hurt.has(part)) fromBackup[part] = await fillFrom(environment[part], backup[part], environment);
      }
      if (hurt.has('waitlist'))
        fromBackup.waitlist = await fillFrom(environment.waitlist, backup.waitlist, environment);
      if (hurt.has('journal')) fromBackup.journal = await fillLog(environment, backup);
      const rules = hurt.get('alerts');
      if (rules !== undefined)
        fromBackup.alerts = await fillRules(environment, backup, (name) => mayBeLost(rules, name));
    }
    for (const part of ['keys', 'payments', 'notes'] as const) {
      const finding = hurt.get(part);
      if (finding !== undefined)
        lost.push(
          ...stillMissing(
            finding,
            finding.bad.filter((key) => !environment[part].has(key)),
          ),
        );
    }
    const alerts = hurt.get('alerts');
    if (alerts !== undefined) {
      const there = new Set(Array.from(environment.alerts?.getRange() ?? [], ({ key }) => rowName(key)));
      lost.push(
        ...stillMissing(
          alerts,
          alerts.bad.filter((name) => !there.has(name)),
        ),
      );
    }
    const checkpoints = await dropDamagedCheckpoints(environment);
    lost.push(...checkpoints.map((seq) => `checkpoints: the one at seq ${seq} is lost`));
    const log = hurt.get('journal');
    if (log !== undefined) lost.push(describeFinding(log));
    if (log !== undefined || checkpoints.length > 0 || hurt.has('checkpoints'))
      lost.push(...(await closeGaps(environment)));
    const head = logHead(environment);
    if (upTo !== null && upTo > head) lost.push(`journal: seqs ${head + 1} to ${upTo} are lost`);
    lost.push(...(await settleAccounts(environment)));
    const places = hurt.get('waitlist');
    // Nothing else may know of the places that cannot be read.
    if (places !== undefined && hasUnnamed(places)) lost.push(describeFinding(places));
    // The layout before ours has no mark that could be copied.
    if (layout !== LAYOUT && upTo !== null) await markOutputs(environment, upTo);
    const areOutputsHurt = [...hurt.keys()].some((part) => part === 'latest' || part.startsWith('history.'));
    await forgetIndexes(environment);
    const isKept = await settleOutputs(environment, areOutputsHurt ? null : upTo);
    for (const part of ['usage', 'usageErrors', 'calls']) {
      const finding = hurt.get(part);
      if (finding !== undefined) lost.push(describeFinding(finding));
    }
    return { fromBackup, lost, recomputes: !isKept };
  } finally {
    await environment.close();
  }
}

/** They are made again at the next start. */
async function forgetIndexes(environment: Environment): Promise<void> {
  const begin = () =>
    environment.root.batch(() => {
      forgetDerivedMarks(environment);
    });
  await environment.durable(begin, 'the forgotten timelines and heads of events', { rows: 2, bytes: 0 });
}

/** What was bad and is not back. Rows that nobody could read, or that are missing, have no names. */
function stillMissing(finding: PartFinding, names: readonly string[]): readonly string[] {
  const named = names.map((name) => `${finding.part}: ${name} is lost`);
  return hasUnnamed(finding) ? [...named, describeFinding(finding)] : named;
}

/** Whether a row that is not there may have been damaged. One that may not was removed. */
function mayBeLost(finding: PartFinding, name: string): boolean {
  return hasUnnamed(finding) || finding.bad.includes(name);
}

/** Whether more may be damaged than the rows it names. */
function hasUnnamed({ unreadable, faults, badRows, bad }: PartFinding): boolean {
  return unreadable !== null || faults.length > 0 || badRows > bad.length;
}
