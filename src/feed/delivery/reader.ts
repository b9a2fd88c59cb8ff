import type { Audience } from '../../views/audience.ts';
import type { TopicState } from '../log/numbering.ts';
import type { FrameBatch } from './frame-batch.ts';

/** One connection to the feed, with its subscriptions. */
export abstract class Reader {
  /** Its address or its key: all connections of one caller share a budget. */
  abstract readonly caller: string;
  abstract readonly hasKey: boolean;
  /** By name of topic. */
  readonly subscriptions = new Map<string, Subscription>();
  /** A slow reader is sent nothing until its unsent bytes are gone, a closed one nothing at all. */
  status: 'ready' | 'slow' | 'closed' = 'ready';

  /** Bytes that were written but not yet taken by the network. */
  abstract unsentBytes(): number;
  /** Bytes that the network took since the reader came. Those of one write may be counted only when it took them all. */
  abstract takenBytes(): number;
  /**
   * Writes a batch unless too much is unsent; returns whether it did. A batch that has seqs comes with the subscription
   * it belongs to.
   */
  abstract write(batch: FrameBatch, subscription: Subscription | undefined): boolean;
  /** Holds back writes until `uncork`, which sends them as one. */
  abstract cork(): void;
  abstract uncork(): void;
  /** Calls the listener once everything unsent was taken by the network. Only for a reader that has no room. */
  abstract onceDrained(listener: () => void): void;
  abstract closeTooSlow(): void;
}

/**
 * How far a reader is in a topic. Nothing else is kept for a slow reader: the frames that it still needs can be found
 * from here. Readers that were sent the same batch share one object.
 */
export type Place =
  /** Needs a snapshot first. */
  | { readonly type: 'snapshot' }
  /** Was sent everything up to `seq`, and is sent every later frame one by one until it has caught up. */
  | ({ readonly type: 'replay' } & Sent)
  /** Was sent everything up to `seq`. After falling behind it is sent the newest frame of each key, or all lossless ones. */
  | ({ readonly type: 'live' } & Sent)
  /** The topic has no numbers, and missed frames are not sent again. */
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
