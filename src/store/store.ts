import type { Observation, Output, StreamName } from '../../streams/internal.ts';

/** The log. Blocks of observations under the seq of their first; one block per turn of the engine. */
export interface Journal {
  /** Seq of the last durable observation, 0 when the log is empty. */
  readonly head: number;
  /** Seq of the oldest one still kept, 0 when the log is empty. */
  readonly tail: number;
  /** Resolves once all of them are on disk, or rejects with none of them kept. Seqs continue from `head`. */
  append(observations: readonly Observation[]): Promise<void>;
  /** From `fromSeq` (inclusive) to the head as of each step. Holds no read transaction between steps. */
  read(fromSeq: number): Iterable<Observation>;
  /** From `fromSeq` (inclusive) back to the tail, in small steps. Holds no read transaction between them. */
  readBack(fromSeq: number): Iterable<Observation>;
  /**
   * Seq of the last observation received at or before `at`, 0 when none is kept. Of a log whose clock was set back,
   * one of those that could be meant.
   */
  seqAt(at: number): number;
  /** Drops whole blocks older than `beforeSeq`, at most `maxBlocks`; resolves to how many were dropped. */
  prune(beforeSeq: number, maxBlocks: number): Promise<number>;
}

/** One output as kept: the JSON text of the whole output, whose bytes replay must reproduce. */
export interface KeptOutput {
  readonly stream: StreamName;
  readonly seq: number;
  readonly json: string;
}

/** Everything the streams said, and the latest record under each key. */
export interface Outputs {
  /** All outputs of observations up to this seq are kept. */
  readonly upTo: number;
  /** Resolves once the outputs of the observations up to `upTo` are on disk, together with the new mark. */
  append(outputs: readonly Output[], upTo: number): Promise<void>;
  /** The latest output under each key of a stream, in no order. */
  latest(stream: StreamName): readonly Output[];
  /** History of a stream from `fromSeq` on, in the order it was said. Holds no read transaction between steps. */
  read(stream: StreamName, fromSeq: number): Iterable<KeptOutput>;
  /** The same from `fromSeq` (inclusive) back, the newest first, in small steps. */
  readBack(stream: StreamName, fromSeq: number): Iterable<KeptOutput>;
  /** Drops history older than `beforeSeq`, at most `maxRows`; the latest values stay. */
  prune(beforeSeq: number, maxRows: number): Promise<number>;
  /** Forgets history and latest values, to be computed anew from the log. */
  clear(): Promise<void>;
}

/** State of every pipeline at a seq, as text. */
export interface Checkpoint {
  readonly seq: number;
  readonly at: number;
  readonly graphVersion: number;
  readonly state: string;
}

/** The state as text, or as its UTF-8. */
export interface NewCheckpoint extends Omit<Checkpoint, 'state'> {
  readonly state: string | Uint8Array;
}

export interface Checkpoints {
  save(checkpoint: NewCheckpoint): Promise<void>;
  /** The newest one at or before `seq`, of this graph version. */
  newest(graphVersion: number, seq?: number): Checkpoint | undefined;
  /** The oldest one of this graph version. */
  oldest(graphVersion: number): Checkpoint | undefined;
  /** Seq and time of all of them, oldest first. */
  list(): readonly Omit<Checkpoint, 'state'>[];
  remove(seq: number): Promise<void>;
}

/** The note of the seq before which history is being dropped: outputs of earlier observations may or may not be found. */
export const PRUNED_BEFORE_NOTE = 'prunedBefore';

/** Small facts about the folder itself, such as which embedded world it belongs to. */
export interface Notes {
  get(name: string): string | undefined;
  set(name: string, value: string): Promise<void>;
}

/** Requests of one key to one endpoint within an hour or a day. */
export interface UsageRow {
  readonly endpoint: string;
  readonly method: string;
  readonly requests: number;
  readonly errors: number;
  /** Summed over the requests. */
  readonly ms: number;
  readonly bytes: number;
}

export type UsageSpan = 'hour' | 'day';

/** All rows of a key in one span. `index` counts whole hours or days since 1970, UTC. */
export interface UsagePage {
  readonly keyId: string;
  readonly span: UsageSpan;
  readonly index: number;
  readonly rows: readonly UsageRow[];
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

/** The newest errors of each key are kept, no more than these. */
export const USAGE_ERRORS_KEPT = 1_000;

export interface UsageStore {
  page(keyId: string, span: UsageSpan, index: number): readonly UsageRow[];
  /** Newest first. */
  errors(keyId: string, limit: number): readonly UsageError[];
  /** Resolves once all of it is on disk. A page takes the place of the one that was there. */
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

/** An API key as it is kept: never the key itself. */
export interface KeptKey {
  /** Public: may be shown and logged. */
  readonly id: string;
  /** SHA-256 of the key, in hexadecimal. */
  readonly hash: string;
  readonly tier: 'FREE' | 'PRO' | 'INTERNAL';
  readonly name: string;
  /** Requests an hour; null for what the tier has. */
  readonly limit: number | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface Keys {
  all(): readonly KeptKey[];
  /** Resolves once they are on disk, each in the place of the one with its id. */
  put(keys: readonly KeptKey[]): Promise<void>;
}

/** Calls of one caller by minutes since 1970. */
export interface KeptHour {
  readonly caller: string;
  readonly minutes: readonly (readonly [minute: number, calls: number])[];
}

export interface Hours {
  all(): readonly KeptHour[];
  /** Forgets the callers in `gone`, then puts each of `hours` in the place of the one before. */
  write(hours: readonly KeptHour[], gone: readonly string[]): Promise<void>;
}

export type PaymentState = 'RESERVED' | 'VERIFIED' | 'SETTLING' | 'SETTLED' | 'FAILED' | 'UNKNOWN';

/** A whole response. */
export interface KeptReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A payment from the moment its nonce was taken. */
export interface KeptPayment {
  /** `network|asset|from|nonce` in lower case: what a chain takes once. */
  readonly id: string;
  readonly state: PaymentState;
  /** SHA-256 of what was signed and of the signature, in hexadecimal. */
  readonly proof: string;
  /** Path and query it was sent with. */
  readonly resource: string;
  /** What the facilitator is asked, as JSON. */
  readonly order: string;
  readonly validBeforeAt: number;
  /** When the state became what it is. */
  readonly changedAt: number;
  /** When it is looked at again; null for one that is over. */
  readonly nextTryAt: number | null;
  /** How often its settlement was tried again. */
  readonly tries: number;
  /** What was bought. Kept from SETTLING on, until it was sent and is old. */
  readonly reply: KeptReply | null;
  /** The facilitator's word on the settlement, as it is passed on. */
  readonly receipt: string | null;
  readonly sentAt: number | null;
}

/** Payments to be looked at: not over, settled but not sent, or sent with a reply still kept. */
export type PaymentMark = 'open' | 'unsent' | 'spare';

export interface Payments {
  find(id: string): KeptPayment | undefined;
  /** Puts it unless one with its id is there, in one transaction. Resolves to whether it was put, once it is on disk. */
  reserve(payment: KeptPayment): Promise<boolean>;
  /** Resolves once it is on disk in the place of the one with its id. One write at a time per id. */
  put(payment: KeptPayment): Promise<void>;
  release(id: string): Promise<void>;
  /**
   * Those with a mark, the earliest first: `open` by the next try, the others by the last change, both up to
   * `upToAt`.
   */
  marked(mark: PaymentMark, upToAt: number, limit: number): readonly KeptPayment[];
  /** Drops those that were valid until before `beforeAt`, at most `maxRows`; resolves to how many. */
  prune(beforeAt: number, maxRows: number): Promise<number>;
}

/** A frame of the feed as it is kept. `text` is for the feed to read. */
export interface FeedRow {
  readonly topic: string;
  readonly seq: number;
  readonly at: number;
  readonly text: string;
}

/** How far a topic of the feed is. */
export interface FeedTopic {
  readonly topic: string;
  /** Of its last frame. */
  readonly seq: number;
  /** Keys that have a record. */
  readonly keys: readonly string[];
}

/** What the feed told, as far back as readers may ask for it again. */
export interface FeedWindow {
  /**
   * What the numbers are named by, and up to which seq of the log all is told; undefined before the first. A copy
   * has no epoch: what was told after it was made has taken the same numbers.
   */
  head(): { readonly epoch: string | undefined; readonly upTo: number } | undefined;
  topics(): readonly FeedTopic[];
  /** Resolves once all of it is on disk, or rejects with none of it kept. */
  append(batch: {
    readonly epoch: string;
    readonly upTo: number;
    readonly rows: readonly FeedRow[];
    readonly topics: readonly FeedTopic[];
  }): Promise<void>;
  /** The seq of a topic's oldest row. */
  oldest(topic: string): number | undefined;
  /** Of a topic the first rows behind `seq`, at most `limit`. */
  read(topic: string, seq: number, limit: number): readonly FeedRow[];
  /** Puts the older rows of a topic together, if they are many. They take a fortieth of the room, and read the same. */
  pack(topic: string): Promise<void>;
  /** Drops rows older than `beforeAt`, at most `maxRows` or so many packs; resolves to how many were dropped. */
  prune(beforeAt: number, maxRows: number): Promise<number>;
}

export interface Store {
  readonly journal: Journal;
  readonly outputs: Outputs;
  readonly checkpoints: Checkpoints;
  readonly notes: Notes;
  readonly keys: Keys;
  readonly hours: Hours;
  readonly usage: UsageStore;
  readonly waitlist: Waitlist;
  readonly feed: FeedWindow;
  readonly payments: Payments;
  /** Bytes on disk, for the size watchdog. */
  sizeBytes(): number;
  /** A consistent copy into an empty or new folder, while the engine runs. */
  backup(folder: string): Promise<void>;
  /** Waits for writes in flight. Closing twice is fine. */
  close(): Promise<void>;
}
