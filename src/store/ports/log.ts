import type { AccountId, Observation, Output, OutputOf, StreamName } from '../../../streams/internal.ts';

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

/** The latest output under a key, as its JSON text. */
export interface LatestText {
  readonly key: string;
  readonly json: string;
}

/** What a post is ordered and found by, without the post itself. */
export interface TimelineEntry {
  /** The key of the post among the outputs. */
  readonly key: string;
  readonly createdAt: number;
  /** The observation that last changed it, and when it was first seen. */
  readonly seq: number;
  readonly seenAt: number;
  /** Whether the account's own timeline has shown it, it was found gone, and the oracle has taken it in. */
  readonly isOnTimeline: boolean;
  readonly isDeleted: boolean;
  readonly isInOracle: boolean;
}

/** What an event is found and dated by, without its buckets, which are most of it. */
export interface EventHead {
  /** The key of the event among the outputs. */
  readonly key: string;
  /** The observation that last changed it, and when that was received. */
  readonly seq: number;
  readonly at: number;
  /** Null for an event that is about no account. */
  readonly account: AccountId | null;
  readonly startAt: number | null;
  readonly endAt: number;
  readonly isClosed: boolean;
}

/** Everything the streams emitted, and the latest record under each key. */
export interface Outputs {
  /** All outputs of observations up to this seq are kept. */
  readonly upTo: number;
  /** Resolves once the outputs of the observations up to `upTo` are on disk, together with the new mark. */
  append(outputs: readonly Output[], upTo: number): Promise<void>;
  /** The latest output under each key of a stream, in no order. */
  latest(stream: StreamName): readonly Output[];
  /** The heads of the latest events, in no order. */
  eventHeads(): Iterable<EventHead>;
  /** The latest outputs of a stream under the keys after one, or from the first on, ordered by key, so many at most. */
  latestAfter(stream: StreamName, key: string | undefined, limit: number): readonly LatestText[];
  /** The latest output under one key. */
  get(stream: StreamName, key: string): Output | undefined;
  /**
   * The account's posts, newest first by creation, then by key: those after the post `after` if it is given, without the
   * first `offset` of them. In small steps.
   */
  timeline(
    account: AccountId,
    from?: { readonly offset?: number; readonly after?: OutputOf<'posts'> | undefined },
  ): Iterable<TimelineEntry>;
  /** How many posts the account has. */
  postCount(account: AccountId): number;
  /** Resolves when timelines can be read, and heads of events without the events: they may have to be made first. */
  prepare(): Promise<void>;
  /**
   * Looks through the latest outputs for missing ones, in small steps. Each but the first is made when `pause` resolves,
   * to whether to go on. Rejects where it finds damage. If there are few, that is done when they are first read.
   */
  check(pause: () => Promise<boolean>): Promise<void>;
  /** History of a stream from `fromSeq` on, in the order it was emitted. Holds no read transaction between steps. */
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

/** The state as text, or as its UTF-8 in parts. */
export interface NewCheckpoint extends Omit<Checkpoint, 'state'> {
  readonly state: string | readonly Uint8Array[];
}

export interface Checkpoints {
  save(checkpoint: NewCheckpoint): Promise<void>;
  /** The newest one at or before `seq`, of this graph version. */
  newest(graphVersion: number, seq?: number): Checkpoint | undefined;
  /** The oldest one of this graph version. */
  oldest(graphVersion: number): Checkpoint | undefined;
  /** The lines of the state of one of them, without their ends. It is not in memory as a whole. */
  lines(seq: number): AsyncIterable<Uint8Array>;
  /** Seq and time of all of them, oldest first. */
  list(): readonly Omit<Checkpoint, 'state'>[];
  remove(seq: number): Promise<void>;
}

/** The note of the seq before which history is being dropped: outputs of earlier observations may or may not be found. */
export const PRUNED_BEFORE_NOTE = 'prunedBefore';

/** The note of the last repair of the store, as JSON with its time in `at`, UTC ms. */
export const REPAIR_NOTE = 'repair';

/** The note of how far the store has followed its shard, where several machines share one. */
export const CLUSTER_NOTE = 'cluster';

/** The note of when the machine was started, UTC ms by the calendar under which the end of the log was written. */
export const BOOT_NOTE = 'bootedAt';

/** The folder in the data folder of an edge that holds its copies of the shards. */
export const EDGE_COPIES = 'shards';

/** Small facts about the folder itself, such as which embedded world it belongs to. */
export interface Notes {
  get(name: string): string | undefined;
  set(name: string, value: string): Promise<void>;
}
