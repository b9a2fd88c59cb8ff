import type { Store } from '../store.ts';
import { copyEnvironment } from './backup.ts';
import { openCallLog } from './call-log.ts';
import { openCheckpoints } from './checkpoints.ts';
import { guardCommits } from './commit.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { openNotes } from './folder-notes.ts';
import { openStoredFrames } from './frames.ts';
import { openJournal } from './journal.ts';
import { openKeys } from './keys.ts';
import { openWithRecovery } from './open-with-recovery.ts';
import { openOutputs } from './outputs.ts';
import { openPayments } from './payments.ts';
import { openUsage } from './usage.ts';
import { openWaitlist } from './waitlist.ts';

export interface StoreOptions {
  /** Reads what another process writes; every write rejects. */
  readonly readOnly?: boolean;
  /** While less than this is free on the disk, nothing is written. */
  readonly reserveBytes?: number;
}

const RESERVE_BYTES = 16 * 1024 * 1024;

/** Opens the store in a data folder, made if it does not exist. One writing process per folder: see lock.ts. */
export async function openStore(folder: string, options: StoreOptions = {}): Promise<Store> {
  if (options.readOnly === true) return openDirectly(folder, true);
  return openWithRecovery(folder, () => openDirectly(folder, false, options.reserveBytes));
}

/** Opens without the marker file of open-with-recovery.ts. */
export async function openDirectly(
  folder: string,
  isReadOnly: boolean,
  reserveBytes = RESERVE_BYTES,
): Promise<Store> {
  const environment = await openEnvironment(folder, { isReadOnly, reserveBytes });
  try {
    return assemble(environment);
  } catch (error) {
    await environment.close();
    throw error;
  }
}

function assemble(environment: Environment): Store {
  const parts = {
    journal: openJournal(environment),
    outputs: openOutputs(environment),
    checkpoints: openCheckpoints(environment),
    notes: openNotes(environment),
    keys: openKeys(environment),
    calls: openCallLog(environment),
    usage: openUsage(environment),
    waitlist: openWaitlist(environment),
    feed: openStoredFrames(environment),
    payments: openPayments(environment),
  };
  const unguard = guardCommits();
  let closing: Promise<void> | undefined;
  return {
    ...parts,
    sizeBytes: environment.usedBytes,
    unfinishedWriteMs: () => environment.room?.unfinishedMs() ?? 0,
    allowReserve: (isAllowed) => environment.room?.allowReserve(isAllowed),
    backup: (target) => copyEnvironment(environment, target),
    close() {
      closing ??= environment.close().finally(unguard);
      return closing;
    },
  };
}
