import { StoreError } from '../../errors.ts';
import { openCheckpoints } from './checkpoints.ts';
import type { CopyMessage } from './copy-messages.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { checkHeads } from './event-heads.ts';
import { openJournal } from './journal.ts';
import { checkKeys } from './keys.ts';
import { checkHistoryEnds, checkLatest, readOutputMark } from './output-mark.ts';
import { checkPayments } from './payments.ts';
import { checkTimelines } from './timelines.ts';
import { checkWaitlist } from './waitlist.ts';

/** Throws when the log ends before the outputs that were derived from it. */
export function checkLogEnd(environment: Environment): void {
  const { head } = openJournal(environment);
  const { upTo } = readOutputMark(environment);
  if (head >= upTo) return;
  throw environment.damage('journal', `the log ends at seq ${head}, but outputs are kept up to seq ${upTo}`);
}

function checkTimelinesOf(environment: Environment): void {
  checkTimelines(environment, readOutputMark(environment).rows.posts ?? 0);
}

function checkHeadsOf(environment: Environment): void {
  checkHeads(environment, readOutputMark(environment).rows.events ?? 0);
}

/** Throws when the beginning of the log was dropped, and no checkpoint is left from which the rest could be followed. */
export function checkLogBegin(environment: Environment): void {
  const { tail } = openJournal(environment);
  const { list } = openCheckpoints(environment);
  if (tail <= 1 || list().some(({ seq }) => seq >= tail - 1)) return;
  throw environment.damage(
    'checkpoints',
    `checkpoints: the log begins at seq ${tail}, and there is none from there on`,
  );
}

/** Tells which checkpoints can be read whole. */
function tellCheckpoints(environment: Environment, tell: (message: CopyMessage) => void): void {
  const { list, newest } = openCheckpoints(environment);
  for (const { seq, at, graphVersion } of list()) {
    const isGood = canRead(() => newest(graphVersion, seq)?.seq === seq);
    tell({ is: 'checkpoint', seq, at, isGood });
    if (!isGood)
      tell({ is: 'fault', part: 'checkpoints', message: `the checkpoint at seq ${seq} is damaged` });
  }
}

function canRead(read: () => boolean): boolean {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

const CHECKS = [
  checkKeys,
  checkWaitlist,
  checkPayments,
  checkLatest,
  checkHistoryEnds,
  checkLogBegin,
  checkLogEnd,
  checkTimelinesOf,
  checkHeadsOf,
];

/** Compares the parts of a store with each other, which tells of rows that are missing or too old. */
export async function compareParts(path: string, tell: (message: CopyMessage) => void): Promise<void> {
  const environment = await openEnvironment(path, { isReadOnly: true, path });
  try {
    // Without a pause in between, so that all of them see the same transaction of an engine that is writing.
    for (const check of CHECKS) {
      try {
        check(environment);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        tell({ is: 'fault', part: error.part ?? 'meta', message: error.message });
      }
    }
    tellCheckpoints(environment, tell);
  } finally {
    await environment.close();
  }
}
