import { basename } from 'node:path';
import { diagnose } from '../../src/store/lmdb/diagnose.ts';
import { hasEnvironment } from '../../src/store/lmdb/environment.ts';
import type { Acknowledged } from './crash-acknowledged.ts';
import { backupRow, isBackupRow, type Kept } from './crash-rows.ts';
import type { Found, Starts } from './crash-start.ts';

/** What must be there after a power cut. */
interface Due {
  readonly rows: ReadonlySet<string>;
  readonly seq: number;
}

/** What was acknowledged by the records before `cut`. */
export function dueAt(acknowledged: readonly Acknowledged[], cut: number): Due {
  const rows = new Set<string>();
  let seq = 0;
  for (const each of acknowledged) {
    if (each.at >= cut) continue;
    if (each.is === 'row') rows.add(each.row);
    else seq = Math.max(seq, each.seq);
  }
  return { rows, seq };
}

/** What is wrong with what was found, as sentences. `whole` is all that was ever stored. */
function faultsOf(
  { kept, difference, differenceAfter, told }: Found,
  due: Due,
  whole: Kept,
): readonly string[] {
  const rows = new Map(kept.rows);
  const written = new Map(whole.rows);
  const lost = [...due.rows].filter((row) => !rows.has(row) && !isBackupRow(row));
  const strange = kept.rows.filter(([row, digest]) => written.get(row) !== digest);
  const other = kept.log.findIndex((digest, index) => whole.log[index] !== digest);
  const faults = told.map((news) => `told as an error: ${news}`);
  if (kept.head < due.seq) faults.push(`seq ${due.seq} was shown, and the log ends at ${kept.head}`);
  if (lost.length > 0) faults.push(`${lost.length} acknowledged rows are gone, such as ${lost[0]}`);
  if (strange.length > 0) faults.push(`${strange.length} rows were never stored, such as ${strange[0]?.[0]}`);
  if (other >= 0) faults.push(`observation ${other + 1} is not the one that was stored`);
  if (kept.log.length !== kept.head) faults.push(`${kept.log.length} observations up to ${kept.head}`);
  if (difference !== null) faults.push(`does not verify: ${difference}`);
  if (differenceAfter !== null) faults.push(`does not verify after more was written: ${differenceAfter}`);
  return faults;
}

export interface Judgement {
  readonly failedStarts: number;
  readonly faults: readonly string[];
}

interface Judge {
  readonly starts: Starts;
  readonly whole: Kept;
  readonly paymentIds: readonly string[];
  /** Whether the doctor is asked, also about the backups. */
  readonly asksDoctor: boolean;
}

/** As many starts as an operator is promised at the most, and one more. */
const MOST_STARTS = 3;

/** What the doctor finds wrong. A store that is about to take its place is none yet. */
async function askDoctor(data: string, due: Due): Promise<readonly string[]> {
  if (!hasEnvironment(data)) return [];
  const { condition, found, backups } = await diagnose(data);
  const bad = backups.filter((copy) => copy.condition !== 'sound');
  const there = new Set(backups.map(({ path }) => backupRow(basename(path))));
  const lost = [...due.rows].filter((row) => isBackupRow(row) && !there.has(row));
  return [
    ...(condition === 'sound' ? [] : [`the doctor finds it ${condition}: ${found[0]}`]),
    ...bad.map((copy) => `the doctor finds a backup ${copy.condition}: ${copy.found[0]}`),
    ...lost.map((row) => `${row} is gone`),
  ];
}

/**
 * Looks at a data folder as after a power cut. The doctor must find it sound, the first start must be through with
 * nothing to tell, all that is due must be there and nothing else than what was stored, and it must verify.
 */
export async function judge(
  data: string,
  due: Due,
  { starts, whole, paymentIds, asksDoctor }: Judge,
): Promise<Judgement> {
  const faults = asksDoctor ? [...(await askDoctor(data, due))] : [];
  for (let failedStarts = 0; failedStarts < MOST_STARTS; failedStarts++) {
    const end = await starts.start({ data, paymentIds });
    if (end.is === 'found') return { failedStarts, faults: [...faults, ...faultsOf(end, due, whole)] };
    faults.push(`a start failed: ${end.how}`);
  }
  return { failedStarts: MOST_STARTS, faults };
}
