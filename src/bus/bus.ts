import type { Ends, ServerFacts } from './transport.ts';

/** The number of a message in the stream of its shard; that of an entry is the place of its last part. */
export type Place = number;
/** Counts the leaders of a shard, from 1. */
export type Term = number;

/** What an entry holds: a block of the log, the outputs of a turn, rows of the feed, or changes to what is kept of callers. */
export type EntryKind = 'log' | 'outputs' | 'feed' | 'access';

export interface Entry {
  readonly kind: EntryKind;
  readonly bytes: Uint8Array;
}

export interface StoredEntry extends Entry {
  readonly place: Place;
  /** The term of its writer. */
  readonly term: Term;
}

/** Appends to the stream of a shard for the length of one term. */
export interface ShardWriter {
  readonly term: Term;
  /** The place behind which the next entry goes. */
  readonly place: Place;
  /**
   * Resolves to the entry's place once it is stored for good; entries are stored in the order of the calls. It is tried again over
   * outages of any length. Rejects with `BUS_FENCED` when a later term has written, with `BUS_TAIL_LOST` when the stream
   * has lost what was acknowledged, and then so does every later call.
   */
  append(entry: Entry): Promise<Place>;
}

/** Something that goes on until it is stopped. */
export interface Following {
  /** The last place that was applied. */
  readonly place: Place;
  /** When it was last known to be at the end, in ms of the monotonic clock; undefined if never yet. */
  readonly caughtUpAt: number | undefined;
  /**
   * Resolves when it was stopped. Rejects when it cannot go on: with `BUS_BEHIND_TAIL` when what comes next is no longer
   * kept, with `BUS_TAIL_LOST` when the stream is shorter than what was applied, or with what `apply` threw.
   */
  readonly ended: Promise<void>;
  /** Resolves when nothing is applied any more. */
  stop(): Promise<void>;
}

export interface Shard {
  ends(): Promise<Ends>;
  /** Every entry behind `place`, whole, in order and once, over outages. The next one waits for `apply`. */
  follow(place: Place, apply: (entry: StoredEntry) => void | Promise<void>): Following;
  /**
   * Begins a term behind `place`, the last one that its leader has applied; from then on no earlier term can write.
   * Resolves to `behind` if an earlier term has written behind that place: follow on and try again. Rejects with
   * `BUS_FENCED` if this term or a later one has begun already.
   */
  beginTerm(term: Term, place: Place): Promise<ShardWriter | 'behind'>;
}

/** The leadership of one shard, which is renewed until it is released or lost. */
export interface Lease {
  readonly term: Term;
  /** Whether it was renewed a short while ago. While it is not, the leader asks the outside world nothing. */
  isHeld(): boolean;
  /** Resolves when another one leads, or the lease was released or the bus closed. Then this term is over. */
  readonly lost: Promise<void>;
  /** Lets a standby take over at once. */
  release(): Promise<void>;
}

/** Who leads a shard; the owner is empty after a release. */
interface Leader {
  readonly owner: string;
  readonly term: Term;
}

export interface Leases {
  /** Resolves when `owner`, a name that no other process has, leads the shard; rejects when the signal is aborted. */
  campaign(shard: string, owner: string, signal: AbortSignal): Promise<Lease>;
  current(shard: string): Promise<Leader | undefined>;
}

interface Snapshot {
  /** What comes behind this place is not in the snapshot. */
  readonly place: Place;
  readonly bytes: Uint8Array;
}

export interface Snapshots {
  /** Whether it is now the newest: false if one of a later place is there, or came meanwhile. */
  save(
    shard: string,
    place: Place,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<boolean>;
  newest(shard: string): Promise<Snapshot | undefined>;
}

/** Does what a command says; what it throws reaches the one who asked as `BUS_COMMAND_FAILED`. */
type CommandHandler = (name: string, body: Uint8Array) => Promise<Uint8Array>;

/** Requests to the leading engine of a shard. */
export interface Commands {
  /**
   * Rejects with `BUS_NO_ANSWER` when none came in time. The command may have been carried out then, so it carries an id
   * in its body by which the engine knows a repeated one.
   */
  ask(shard: string, name: string, body: Uint8Array): Promise<Uint8Array>;
  /** Answers until it is stopped; only the leader does. */
  answer(shard: string, handle: CommandHandler): () => void;
}

/** Small values that all processes of the cluster share. */
export type SharedArea = 'keys' | 'callers' | 'members' | 'shards';

interface SharedValue {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly revision: number;
}

export type SharedChange =
  | { readonly type: 'set'; readonly value: SharedValue }
  | { readonly type: 'removed'; readonly name: string };

export interface SharedValues {
  get(name: string): Promise<SharedValue | undefined>;
  /** Tried again through outages until this is the value; what others write at the same time may replace it later. */
  set(name: string, bytes: Uint8Array): Promise<void>;
  /** Its revision; undefined if another value is there already. */
  create(name: string, bytes: Uint8Array): Promise<number | undefined>;
  remove(name: string): Promise<void>;
  /** All values, then every change; of several changes to one value in a short time perhaps only the last. */
  watch(apply: (change: SharedChange) => void): Following;
}

/** How machines of one cluster share logs, outputs, frames and small facts. */
export interface Bus {
  /** One for the whole cluster, for as long as its streams live. */
  readonly epoch: string;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly commands: Commands;
  shared(area: SharedArea): SharedValues;
  /** Rejects with `BUS_EMPTY` if no engine has made it and this process may not. */
  shard(name: string): Promise<Shard>;
  server(): ServerFacts;
  isConnected(): boolean;
  /** Ends everything; what is under way rejects with `BUS_CLOSED`. Closing twice is fine. */
  close(): Promise<void>;
}
