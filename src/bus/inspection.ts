import type { SharedArea } from './bus.ts';

/** A server, as far as it tells of itself. */
export interface ServerReport {
  readonly name: string;
  readonly version: string;
  /** Engines refuse it. */
  readonly isOld: boolean;
  /** Whether it brings every message to its disk before it acknowledges it; null: not told. */
  readonly syncsEveryWrite: boolean | null;
}

/** A stream, and the servers that hold it. */
export interface StreamReport {
  readonly name: string;
  /** Places of the oldest message that is kept and of the newest that there was; without any, 1 and 0. */
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** How many copies the servers keep, and how many of these have everything now. */
  readonly copies: number;
  readonly currentCopies: number;
  /** The server that leads it; null while there is none. */
  readonly leader: string | null;
  /** When this was so, UTC ms by the clock of the servers, as all times of an inspection. */
  readonly at: number;
}

/** A small value as the servers hold it. */
export interface KeptValue {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly storedAt: number;
}

/** Who leads a shard; the owner is empty after a release. */
export interface KeptLease {
  readonly owner: string;
  readonly term: number;
  /** When it was renewed last. */
  readonly storedAt: number;
}

/** A look at a cluster from outside. It changes nothing at the servers, and needs no more rights than an edge. */
export interface Inspection {
  readonly epoch: string;
  /** The address that it is connected to. */
  readonly address: string;
  /** All that tell of themselves; if none does, the one that it is connected to. */
  servers(): Promise<readonly ServerReport[]>;
  /** The streams of values and of snapshots. */
  commonStreams(): Promise<readonly StreamReport[]>;
  /** Undefined if no engine has made it yet. */
  shardStream(shard: string): Promise<StreamReport | undefined>;
  values(area: SharedArea): Promise<readonly KeptValue[]>;
  lease(shard: string): Promise<KeptLease | undefined>;
  /** When the message at a place of a shard was stored; undefined if there is none (any more). */
  storedAt(shard: string, place: number): Promise<number | undefined>;
  close(): Promise<void>;
}
