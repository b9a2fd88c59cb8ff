import type { StoreError } from '../errors.ts';
import type { CallLog, GrantLog, Keys, UsageStore, Waitlist } from './ports/access.ts';
import type { StoredAlerts } from './ports/alerts.ts';
import type { StoredFrames } from './ports/frames.ts';
import type { Checkpoints, Journal, Notes, Outputs } from './ports/log.ts';
import type { Payments } from './ports/payments.ts';

export * from './ports/access.ts';
export * from './ports/alerts.ts';
export * from './ports/frames.ts';
export * from './ports/log.ts';
export * from './ports/payments.ts';

/** Everything that is kept in a data folder. */
export interface Store {
  readonly journal: Journal;
  readonly outputs: Outputs;
  readonly checkpoints: Checkpoints;
  readonly notes: Notes;
  readonly keys: Keys;
  readonly calls: CallLog;
  readonly grants: GrantLog;
  readonly usage: UsageStore;
  readonly waitlist: Waitlist;
  readonly feed: StoredFrames;
  readonly payments: Payments;
  readonly alerts: StoredAlerts;
  /** Bytes in use, for the size watchdog. */
  sizeBytes(): number;
  /** Calls the listener at the first damage that a read finds; at once if some was found. */
  onDamage(listener: (error: StoreError) => void): void;
  /** Ms that the oldest unfinished write has been under way; 0 without one. */
  unfinishedWriteMs(): number;
  /** Whether writes may use the space that is kept back for a start and a stop on a full disk. */
  allowReserve(isAllowed: boolean): void;
  /** A consistent copy into an empty or new folder, while the engine runs. */
  backup(folder: string): Promise<void>;
  /** Waits for writes in flight. Closing twice is fine. */
  close(): Promise<void>;
}
