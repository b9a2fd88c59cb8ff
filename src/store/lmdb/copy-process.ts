import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { compareKeys, type Key, type RootDatabase } from '#database';
import { messageOf } from '../../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { type Row, rowName } from './checked-rows.ts';
import { compareParts } from './compare-parts.ts';
import type { CopyJob, CopyMessage, PartWork } from './copy-messages.ts';
import { isDamage, watchDamage } from './damage.ts';
import {
  createEnvironment,
  findLayout,
  hasLostNames,
  keysOf,
  LAYOUT,
  LAYOUT_BEFORE,
  LOST_NAMES,
  layoutOf,
  openAnyRows,
  openEnvironment,
  openForReading,
  openPlain,
} from './environment.ts';
import { createGapFinder } from './gaps.ts';
import { hasShape } from './key-shape.ts';
import { valueBefore } from './layout-before.ts';
import { MARK_ROW, type OutputMark } from './output-mark.ts';
import { putRows } from './put-rows.ts';
import { checkReaderTable } from './reader-table.ts';

// Run by copy-parts.ts in a process of its own, as C code may end it at any row of a damaged store. Reads the parts it is
// asked for, tells what it finds, and copies the good rows.

const STDOUT = 1;

/** At once, so that it is told even if the next row ends the process. */
function tell(message: CopyMessage): void {
  writeSync(STDOUT, `${JSON.stringify(message)}\n`);
}

const [text] = process.argv.slice(2);
if (text === undefined) throw new RangeError('copy-process needs a job');
// Made by copy-parts.ts.
const job = JSON.parse(text) as CopyJob;
const { damage } = watchDamage();

type AnyRow = Row<string | Buffer | undefined, Key>;

function* rowsOf(root: RootDatabase, layout: number, work: PartWork): Iterable<AnyRow> {
  const { part, isReverse, after, rowsPerStep } = work;
  const range = {
    ...(after !== null && { start: after, exclusiveStart: true }),
    reverse: isReverse,
    limit: rowsPerStep,
  };
  if (layout === LAYOUT) {
    yield* openAnyRows(root, part, damage)?.inspect(range) ?? [];
    return;
  }
  for (const { key, value } of openPlain(root, part)?.getRange(range) ?? []) {
    if (!hasShape(key, keysOf(part))) throw damage(part, `${part}: ${rowName(key)} is no key of it`);
    numberInPart += 1;
    yield { key, value: valueBefore(part, key, value, numberInPart) };
  }
}

/** Of rows of the layout before ours, which have no numbers. */
let numberInPart = 0;

function isBehind(key: Key, place: Key | null, isReverse: boolean): boolean {
  if (place === null) return false;
  const order = compareKeys(key, place);
  return isReverse ? order >= 0 : order <= 0;
}

type Target = Awaited<ReturnType<typeof openEnvironment>>;

async function copyPart(
  root: RootDatabase,
  layout: number,
  work: PartWork,
  target: Target | undefined,
): Promise<void> {
  const { part, isReverse, until, rowsPerStep } = work;
  tell({ is: 'begun', part });
  // What the layout before ours says of the whole store is said in another way now.
  const isCopied = part !== 'meta' || layout === LAYOUT;
  const into = isCopied && target ? openAnyRows(target.root, part, target.damage) : undefined;
  const findGap = createGapFinder(part);
  let after = work.after;
  for (;;) {
    const good: Row<string | Buffer, Key>[] = [];
    const bad: string[] = [];
    let read = 0;
    let isOver = false;
    let met: unknown;
    try {
      for (const { key, value } of rowsOf(root, layout, { ...work, after })) {
        if (isBehind(key, after, isReverse)) throw damage(part, `${part}: its rows are not in order`);
        if (until !== null && isBehind(key, until, !isReverse)) {
          isOver = true;
          break;
        }
        after = key;
        read += 1;
        if (value === undefined) {
          bad.push(rowName(key));
          continue;
        }
        if (part !== 'meta' || key !== 'layout') good.push({ key, value });
        const gap = isReverse ? undefined : findGap(key, value);
        if (gap !== undefined) tell({ is: 'fault', part, message: gap });
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      met = error;
    }
    // Also the rows before one that cannot be read.
    if (into !== undefined && target !== undefined) await putRows(into, good, target);
    if (after !== null && read > 0) tell({ is: 'rows', part, rows: good.length, last: after, bad });
    if (met !== undefined) throw met;
    if (isOver || read < rowsPerStep) return tell({ is: 'ended', part });
  }
}

/** Tells where the outputs end, unless that cannot be read, which was told of the row itself. */
function tellMark(root: RootDatabase, layout: number): void {
  if (layout === LAYOUT_BEFORE) {
    tell({ is: 'mark', upTo: Number(openPlain(root, 'meta')?.get('upTo') ?? 0) });
    return;
  }
  const [row] = openAnyRows(root, 'meta', damage)?.inspect({ start: MARK_ROW, limit: 1 }) ?? [];
  if (row?.key !== MARK_ROW) tell({ is: 'mark', upTo: 0 });
  // Written by output-mark.ts, and its checksum holds.
  else if (row.value !== undefined)
    tell({ is: 'mark', upTo: (JSON.parse(row.value.toString()) as OutputMark).upTo });
}

/** Begun by the first process that copies into it. */
async function openTarget(path: string): Promise<Target> {
  if (!existsSync(join(path, 'data.mdb'))) {
    makeFolder(path);
    await createEnvironment(path);
  }
  return openEnvironment(path, { isReadOnly: false, path });
}

async function run(): Promise<void> {
  await checkReaderTable(job.source);
  const root = await openForReading(job.source);
  const found = findLayout(root);
  if (hasLostNames(found, job.source)) return tell({ is: 'unopenable', message: LOST_NAMES });
  if (found.is === 'other' || found.is === 'unnamed')
    return tell({ is: 'failed', message: `it has ${layoutOf(found)}` });
  const layout = found.is === 'before' ? LAYOUT_BEFORE : LAYOUT;
  tell({ is: 'opened', layout });
  if (found.is === 'damaged') {
    tell({ is: 'fault', part: 'meta', message: found.message });
    for (const part of found.missing) tell({ is: 'fault', part, message: `${part}: cannot be found` });
  }
  const target = job.target === null ? undefined : await openTarget(job.target);
  let part = 'meta';
  try {
    for (const work of job.work) {
      part = work.part;
      numberInPart = 0;
      await copyPart(root, layout, work, target);
      if (part === 'meta') tellMark(root, layout);
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    tell({ is: 'stuck', part, message: messageOf(error) });
    return;
  } finally {
    await target?.close();
  }
  if (job.compares && layout === LAYOUT && found.is === 'ours') await compareParts(job.source, tell);
}

try {
  await run();
} catch (error) {
  tell({ is: isDamage(error) ? 'unopenable' : 'failed', message: messageOf(error) });
}
process.exit(0);
