import type { Key } from '#database';
import { isReadable, type Output } from '../../../streams/internal.ts';
import { StoreError } from '../../errors.ts';
import { type KeptPayment, PRUNED_BEFORE_NOTE } from '../store.ts';
import { type CheckedRows, type Row, rowName } from './checked-rows.ts';
import { openCheckpoints } from './checkpoints.ts';
import type { Environment } from './environment.ts';
import { decodeBlock } from './journal.ts';
import { sumKeys } from './keys.ts';
import { checkHistoryEnds, checkLatest, markOutputs } from './output-mark.ts';
import { openOutputs } from './outputs.ts';
import { marksOf } from './payments.ts';
import { putRows } from './put-rows.ts';
import { parseStored } from './stored-text.ts';
import { completeWaitlist } from './waitlist.ts';

/** Makes a store of the rows that could be saved of a damaged one. Everything here works on a new, sound file. */

/** Puts the rows of a backup that are missing; resolves to how many. */
export function fillFrom<V extends string | Buffer, K extends Key>(
  into: CheckedRows<V, K>,
  from: CheckedRows<V, K>,
  environment: Environment,
): Promise<number> {
  function* missing(): Iterable<Row<V, K>> {
    for (const row of from.getRange()) if (!into.has(row.key)) yield row;
  }
  return putRows(into, missing(), environment);
}

/**
 * Puts the rules of a backup that may be lost, and what they remember; resolves to how many rows. Alerts are left there, as
 * most were delivered since, and so is how far outputs were looked at.
 */
export async function fillRules(
  environment: Environment,
  backup: Environment,
  mayBeLost: (name: string) => boolean,
): Promise<number> {
  const { alerts: into } = environment;
  const { alerts: from } = backup;
  if (into === undefined || from === undefined) return 0;
  const lost = Array.from(from.getRange()).filter(
    ({ key }) => (key[0] === 'rule' || key[0] === 'state') && !into.has(key) && mayBeLost(rowName(key)),
  );
  return putRows(into, lost, environment);
}

/** Seqs without a gap, both ends included. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

function stretchesOf({ journal }: Environment): Stretch[] {
  const stretches: Stretch[] = [];
  for (const block of journal.getRange()) {
    const to = endOf(block);
    const last = stretches.at(-1);
    if (last !== undefined && last.to + 1 === block.key)
      stretches[stretches.length - 1] = { from: last.from, to };
    else stretches.push({ from: block.key, to });
  }
  return stretches;
}

type Block = Row<string, number>;

/** The last block that begins at or before a seq. */
function blockBefore({ journal }: Environment, seq: number): Block | undefined {
  for (const block of journal.getRange({ start: seq, reverse: true, limit: 1 })) return block;
  return undefined;
}

/** Whether the backup's log has the same block at a place, or ends before it. */
function leadsTo(backup: Environment, block: Block | undefined): boolean {
  if (block === undefined) return false;
  const theirs = blockBefore(backup, block.key);
  if (theirs === undefined) return false;
  return theirs.key === block.key ? theirs.value === block.value : endOf(theirs) < block.key;
}

/** The last seq of a block. */
function endOf(block: Block): number {
  return block.key + decodeBlock(block).length - 1;
}

/** Puts the blocks of a backup that come before the log, but for those that were dropped since. */
async function fillBegin(environment: Environment, backup: Environment, end: number): Promise<number> {
  if (end <= 1 || !leadsTo(backup, blockBefore(environment, end))) return 0;
  const keptFrom = Number(environment.notes.get(PRUNED_BEFORE_NOTE) ?? 1);
  const block = blockBefore(backup, keptFrom);
  const start = block !== undefined && endOf(block) >= keptFrom ? block.key : keptFrom;
  return putRows(environment.journal, backup.journal.getRange({ start, end }), environment);
}

/**
 * Puts blocks of a backup into the gaps of the log, where the backup's log agrees with what comes before the gap, or
 * after one at its beginning. A log that is lost whole is that of the backup.
 */
export async function fillLog(environment: Environment, backup: Environment): Promise<number> {
  const stretches = stretchesOf(environment);
  const [first] = stretches;
  if (first === undefined) return fillFrom(environment.journal, backup.journal, environment);
  let filled = await fillBegin(environment, backup, first.from);
  for (const [index, { to }] of stretches.entries()) {
    const before = blockBefore(environment, to);
    if (before === undefined || backup.journal.get(before.key) !== before.value) continue;
    const end = stretches[index + 1]?.from ?? Number.MAX_SAFE_INTEGER;
    const blocks = backup.journal.getRange({ start: to + 1, end });
    filled += await putRows(environment.journal, blocks, environment);
  }
  return filled;
}

/** Removes checkpoints that cannot be read; returns their seqs. */
export async function dropDamagedCheckpoints(environment: Environment): Promise<readonly number[]> {
  const checkpoints = openCheckpoints(environment);
  const dropped: number[] = [];
  for (const { seq, graphVersion } of checkpoints.list()) {
    try {
      if (checkpoints.newest(graphVersion, seq)?.seq === seq) continue;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    await checkpoints.remove(seq);
    dropped.push(seq);
  }
  return dropped;
}

/** The part of a stretch that can be followed: all of it from the log's own beginning, else what follows a checkpoint. */
function followable(
  { journal }: Environment,
  stretch: Stretch,
  starts: readonly number[],
): Stretch | undefined {
  if (stretch.from <= 1) return stretch;
  const start = starts.find((seq) => seq >= stretch.from - 1 && seq <= stretch.to);
  if (start === undefined) return undefined;
  if (start < stretch.to) return { from: start + 1, to: stretch.to };
  // The newest block always stays, so that the next seq is never forgotten.
  const [last = stretch.from] = journal.getKeys({ start: stretch.to, reverse: true, limit: 1 });
  return { from: last, to: stretch.to };
}

/**
 * Leaves a log without gaps: the last stretch that can be followed, or nothing. A state that is not that of the log
 * would give wrong numbers. Returns what is lost, as sentences.
 */
export async function closeGaps(environment: Environment): Promise<readonly string[]> {
  const { durable, journal, notes, root } = environment;
  const stretches = stretchesOf(environment);
  const [first] = stretches;
  const last = stretches.at(-1);
  if (first === undefined || last === undefined) return [];
  const checkpoints = openCheckpoints(environment);
  const starts = checkpoints
    .list()
    .filter(({ graphVersion }) => isReadable(graphVersion))
    .map(({ seq }) => seq);
  const kept = stretches
    .map((stretch) => followable(environment, stretch, starts))
    .findLast((stretch) => stretch !== undefined) ?? { from: 0, to: -1 };
  const gone = [...journal.getKeys()].filter((key) => key < kept.from || key > kept.to);
  const begin = () =>
    root.batch(() => {
      for (const key of gone) void journal.remove(key);
      if (kept.from > 1) void notes.put(PRUNED_BEFORE_NOTE, String(kept.from));
      else void notes.remove(PRUNED_BEFORE_NOTE);
    });
  await durable(begin, 'the log without gaps', { rows: gone.length + 1, bytes: 0 });
  for (const { seq } of checkpoints.list()) {
    if (seq < kept.from - 1 || seq > kept.to) await checkpoints.remove(seq);
  }
  if (kept.to < 0)
    return [`journal: seqs ${first.from} to ${last.to} cannot be followed and are kept no longer`];
  const lost: string[] = [];
  if (kept.from > first.from) lost.push(`journal: seqs ${first.from} to ${kept.from - 1} are kept no longer`);
  if (kept.to < last.to) lost.push(`journal: seqs ${kept.to + 1} to ${last.to} are kept no longer`);
  return lost;
}

export function logHead(environment: Environment): number {
  const [last] = environment.journal.getRange({ reverse: true, limit: 1 });
  return last === undefined ? 0 : endOf(last);
}

function areOutputsWhole(environment: Environment, upTo: number): boolean {
  if (upTo > logHead(environment)) return false;
  try {
    checkLatest(environment);
    checkHistoryEnds(environment);
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

/**
 * Keeps the outputs if they are whole. Else they are left to be computed again from the log: only the checkpoint stays
 * from which that begins, and the latest values from before it. Resolves to whether they are kept.
 */
export async function settleOutputs(environment: Environment, upTo: number | null): Promise<boolean> {
  if (upTo !== null && areOutputsWhole(environment, upTo)) return true;
  const { latest, journal } = environment;
  const checkpoints = openCheckpoints(environment);
  const tail = [...journal.getKeys({ limit: 1 })][0] ?? 0;
  const start =
    tail <= 1
      ? undefined
      : checkpoints.list().find(({ seq, graphVersion }) => isReadable(graphVersion) && seq >= tail - 1);
  for (const { seq } of checkpoints.list()) if (seq !== start?.seq) await checkpoints.remove(seq);
  const earlier = [...latest.getRange()].filter(
    ({ key, value }) => parseStored<Output>(value, `the latest of ${key.join(' ')}`).seq <= (start?.seq ?? 0),
  );
  await openOutputs(environment).clear();
  await putRows(latest, earlier, environment);
  await markOutputs(environment, 0);
  return false;
}

/** Makes again what follows from the rows of keys, waitlist and payments. Returns what is lost, as sentences. */
export async function settleAccounts(environment: Environment): Promise<readonly string[]> {
  const { durable, payments, paymentMarks, root } = environment;
  await sumKeys(environment);
  const marks = Array.from(payments.getRange(), ({ key, value }) =>
    marksOf(parseStored<KeptPayment>(value, `the payment ${key}`)),
  ).flat();
  const begin = () =>
    root.batch(() => {
      void paymentMarks.clear();
      for (const mark of marks) void paymentMarks.put(mark, '');
    });
  await durable(begin, 'the marks of payments', { rows: marks.length + 1, bytes: 0 });
  return completeWaitlist(environment);
}
