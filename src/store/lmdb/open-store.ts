import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../store.ts';
import { copyEnvironment } from './backup.ts';
import { openCallLog } from './call-log.ts';
import { openCheckpoints } from './checkpoints.ts';
import { guardCommits } from './commit.ts';
import { type Environment, environmentPath, openEnvironment } from './environment.ts';
import { openNotes } from './folder-notes.ts';
import { openStoredFrames } from './frames.ts';
import { openJournal } from './journal.ts';
import { openKeys } from './keys.ts';
import { openWithRecovery } from './open-with-recovery.ts';
import { openOutputs } from './outputs.ts';
import { openPayments } from './payments.ts';
import { finishReplacement } from './replace-environment.ts';
import { openUsage } from './usage.ts';
import { openWaitlist } from './waitlist.ts';

export interface StoreOptions {
  /** Reads what another process writes; every write rejects. */
  readonly readOnly?: boolean;
}

/** Opens the store in a data folder, made if it does not exist. One writing process per folder: see lock.ts. */
export async function openStore(folder: string, options: StoreOptions = {}): Promise<Store> {
  if (options.readOnly === true) return openDirectly(folder, true);
  finishReplacement(folder);
  return openWithRecovery(folder, () => openDirectly(folder, false));
}

/** Opens without the marker file of open-with-recovery.ts. */
export async function openDirectly(folder: string, isReadOnly: boolean): Promise<Store> {
  const environment = await openEnvironment(folder, isReadOnly);
  try {
    return assemble(folder, environment);
  } catch (error) {
    await environment.close();
    throw error;
  }
}

function assemble(folder: string, environment: Environment): Store {
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
    sizeBytes: () => statSync(join(environmentPath(folder), 'data.mdb')).size,
    backup: (target) => copyEnvironment(environment, target),
    close() {
      closing ??= environment.close().finally(unguard);
      return closing;
    },
  };
}
