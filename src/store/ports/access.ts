/** An API key as it is kept: never the key itself. */
export interface KeptKey {
  /** Public: may be shown and logged. */
  readonly id: string;
  /** SHA-256 of the key, in hexadecimal. */
  readonly hash: string;
  readonly tier: 'FREE' | 'PRO' | 'INTERNAL';
  readonly name: string;
  /** Requests per hour; null for the tier's own limit. */
  readonly limit: number | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface Keys {
  all(): readonly KeptKey[];
  /** Replaces the keys with these ids. Resolves once they are on disk. */
  put(keys: readonly KeptKey[]): Promise<void>;
}

/** Calls of one caller by their time, UTC ms. A negative number takes calls of that time back. */
export interface CallerCalls {
  readonly caller: string;
  readonly calls: readonly (readonly [at: number, calls: number])[];
}

/** The calls that were counted and taken back before `at`, UTC ms, and are in no earlier batch. */
export interface CallBatch {
  readonly at: number;
  /** Ms that the machine had run at that time, its sleep included; null where that was not stored. */
  readonly sinceBoot: number | null;
  readonly callers: readonly CallerCalls[];
}

/** The counted calls of about an hour. */
export interface CallLog {
  /** Every batch, in the order they were written. */
  all(): readonly CallBatch[];
  /** Adds a batch and drops those of `overAt` or earlier. Resolves once it is on disk. */
  append(batch: CallBatch, overAt: number): Promise<void>;
  /** Writes a batch in place of all others. */
  replace(batch: CallBatch): Promise<void>;
}

/** Events of the ledger of a cluster, by which its limits are restored. */
export interface GrantLog {
  /** The texts of all events, in the order they were written. */
  all(): readonly string[];
  /** Adds events of `at` and drops those of `overAt` or earlier, both UTC ms. Resolves once all of it is on disk. */
  append(events: readonly string[], at: number, overAt: number): Promise<void>;
}

/** Requests of one key to one endpoint within some time. */
export interface UsageRow {
  readonly endpoint: string;
  readonly method: string;
  readonly requests: number;
  readonly errors: number;
  /** Summed over the requests. */
  readonly ms: number;
  readonly bytes: number;
}

/** A page of an hour or a day holds its sums; that of a minute holds the sums of each second. */
export type UsageSpan = 'minute' | 'hour' | 'day';

export interface UsagePageRow extends UsageRow {
  /** The second within the minute; 0 in other pages. */
  readonly second: number;
}

/** All rows of a key in one span. `index` counts whole minutes, hours or days since 1970, UTC. */
export interface UsagePage {
  readonly keyId: string;
  readonly span: UsageSpan;
  readonly index: number;
  readonly rows: readonly UsagePageRow[];
}

/** An error a caller was answered with. `n` counts those of a key from 1 on. */
export interface UsageError {
  readonly keyId: string;
  readonly n: number;
  readonly at: number;
  readonly endpoint: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  readonly message: string;
}

/** At most this many errors of each key are kept, the newest. */
export const USAGE_ERRORS_KEPT = 1_000;

export interface UsageStore {
  page(keyId: string, span: UsageSpan, index: number): readonly UsagePageRow[];
  /** Newest first. */
  errors(keyId: string, limit: number): readonly UsageError[];
  /** Replaces the pages and adds the errors. Resolves once all of it is on disk. */
  write(pages: readonly UsagePage[], errors: readonly UsageError[]): Promise<void>;
  /** Drops what is wholly older than `beforeAt`, at most `maxRows`; resolves to how many rows were dropped. */
  prune(beforeAt: number, maxRows: number): Promise<number>;
}

export interface WaitlistEntry {
  readonly type: 'agent' | 'human';
  readonly useCase: string;
  readonly name: string | null;
  readonly wallet: string | null;
  readonly email: string | null;
}

export interface WaitlistPlace {
  /** From 1 on, without holes, in the order of arrival. */
  readonly position: number;
  /** Whether the place was taken by this very claim. */
  readonly isNew: boolean;
}

export interface Waitlist {
  /**
   * Resolves to the place of the wallet or email once it is on disk: the next free one, or the first that either
   * was ever given. Rejects with no place taken.
   */
  claim(entry: WaitlistEntry, at: number): Promise<WaitlistPlace>;
  /** Everyone, in order. Holds no read transaction between steps. */
  list(): Iterable<WaitlistEntry & { readonly position: number; readonly at: number }>;
}
