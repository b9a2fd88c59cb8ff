import type { Store } from '../store.ts';
import { openStoredAlerts } from './alerts.ts';
import { copyEnvironment } from './backup.ts';
import { beginStore } from './begin-store.ts';
import { openCallLogs } from './call-log.ts';
import { openCheckpoints } from './checkpoints.ts';
import { guardCommits } from './commit.ts';
import { checkLogBegin, checkLogEnd } from './compare-parts.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { openNotes } from './folder-notes.ts';
import { openStoredFrames } from './frames.ts';
import { openJournal } from './journal.ts';
import { checkKeys, openKeys } from './keys.ts';
import { openWithRecovery } from './open-with-recovery.ts';
import { openOutputs } from './outputs.ts';
import { checkPayments, openPayments } from './payments.ts';
import type { TellNews } from './store-news.ts';
import { rememberStore } from './store-traces.ts';
import { noteFinished, noteSettled } from './unfinished-starts.ts';
import { openUsage } from './usage.ts';
import { checkWaitlist, openWaitlist } from './waitlist.ts';

const CHECKS_AT_START = [checkKeys, checkWaitlist, checkPayments, checkLogBegin, checkLogEnd];

export interface StoreOptions {
  /** Reads what another process writes; every write rejects. */
  readonly readOnly?: boolean;
  /** Receives what an operator has to know. */
  readonly tell?: TellNews;
  /** While less than this is free on the disk, nothing is written. */
  readonly reserveBytes?: number;
}

const RESERVE_BYTES = 16 * 1024 * 1024;

/** Opens the store in a data folder, made if it does not exist. One writing process per folder: see lock.ts. */
export async function openStore(folder: string, options: StoreOptions = {}): Promise<Store> {
  if (options.readOnly === true) return openDirectly(folder, { isReadOnly: true });
  return openAndRecover(folder, { ...options, isStarting: false });
}

/** A store whose start is not over when it is open. */
export interface StartingStore {
  readonly store: Store;
  /** Until this is called, an end of the process counts as a start that failed, for which damage may be the cause. */
  settled(): void;
  /** To be called when the store was closed in order. */
  finished(): void;
}

/** Opens the store for a service that reads much of it before its start is over. */
export async function openStartingStore(
  folder: string,
  options: Required<Pick<StoreOptions, 'tell' | 'reserveBytes'>>,
): Promise<StartingStore> {
  const store = await openAndRecover(folder, { ...options, isStarting: true });
  const { tell } = options;
  return { store, settled: () => noteSettled(folder, tell), finished: () => noteFinished(folder, tell) };
}

async function openAndRecover(
  folder: string,
  { tell = () => undefined, reserveBytes = RESERVE_BYTES, isStarting }: RecoverOptions,
): Promise<Store> {
  await beginStore(folder);
  const open = () => openDirectly(folder, { isReadOnly: false, isStarting, reserveBytes });
  const store = await openWithRecovery(folder, { open, tell, isFinishedWhenOpen: !isStarting });
  rememberStore(folder);
  return store;
}

interface RecoverOptions extends Pick<StoreOptions, 'tell' | 'reserveBytes'> {
  /** Whether a service starts, and the whole store has to be right. */
  readonly isStarting: boolean;
}

interface DirectOptions {
  readonly isReadOnly: boolean;
  readonly isStarting?: boolean;
  readonly reserveBytes?: number;
}

async function openDirectly(
  folder: string,
  { isReadOnly, isStarting = false, reserveBytes = RESERVE_BYTES }: DirectOptions,
): Promise<Store> {
  const environment = await openEnvironment(folder, { isReadOnly, reserveBytes });
  try {
    // What is kept nowhere else is looked through at once. What follows from the log is when it is read.
    if (isStarting) for (const check of CHECKS_AT_START) check(environment);
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
    ...openCallLogs(environment),
    usage: openUsage(environment),
    waitlist: openWaitlist(environment),
    feed: openStoredFrames(environment),
    payments: openPayments(environment),
    alerts: openStoredAlerts(environment),
  };
  const unguard = guardCommits();
  let closing: Promise<void> | undefined;
  return {
    ...parts,
    sizeBytes: environment.usedBytes,
    onDamage: environment.onDamage,
    unfinishedWriteMs: () => environment.room?.unfinishedMs() ?? 0,
    allowReserve: (isAllowed) => environment.room?.allowReserve(isAllowed),
    backup: (target) => copyEnvironment(environment, target),
    close() {
      closing ??= environment.close().finally(unguard);
      return closing;
    },
  };
}
