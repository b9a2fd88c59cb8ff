import type { Audience } from '../../views/audience.ts';
import type { TopicState } from '../log/numbering.ts';
import type { FrameBatch } from './frame-batch.ts';

/** The connection to a reader, as the delivery needs it. */
export interface ReaderConnection {
  /** Bytes that were written but not yet taken by the network. */
  unsentBytes(): number;
  /** A batch that has seqs comes with the subscription it belongs to. */
  write(batch: FrameBatch, subscription: Subscription | undefined): void;
  /** Holds back writes until `uncork`, which sends them as one. */
  cork(): void;
  uncork(): void;
  /** Calls the listener once, later, when everything that is unsent now was taken by the network. */
  onceDrained(listener: () => void): void;
  closeTooSlow(): void;
}

export interface Reader {
  readonly connection: ReaderConnection;
  /** By name of topic. */
  readonly subscriptions: Map<string, Subscription>;
  /** A slow reader is sent nothing until its unsent bytes are gone, a closed one nothing at all. */
  status: 'ready' | 'slow' | 'closed';
}

export function createReader(connection: ReaderConnection): Reader {
  return { connection, subscriptions: new Map(), status: 'ready' };
}

/**
 * How far a reader is in a topic. This is all that is held for a slow reader: the frames that it still needs are found
 * again from here. Readers that were sent the same batch share one object.
 */
export type Place =
  /** Needs a snapshot first. */
  | { readonly type: 'snapshot' }
  /** Was sent everything up to `seq`, and is sent every later frame one by one until it has caught up. */
  | ({ readonly type: 'replay' } & Sent)
  /** Was sent everything up to `seq`. When it falls behind, it is sent the newest frame of each key, or every lossless one. */
  | ({ readonly type: 'live' } & Sent)
  /** The topic has no numbers: what a reader misses is not sent again. */
  | { readonly type: 'unnumbered' };

interface Sent {
  readonly seq: number;
  /** `publishedBytes` of the topic when the reader subscribed or was last up to date. */
  readonly upToDateBytes: number;
}

export interface Subscription {
  readonly reader: Reader;
  readonly state: TopicState;
  readonly audience: Audience;
  place: Place;
}
