/**
 * What a messaging system has to offer. Everything else in this room is built on this, so that the rules for doubt,
 * order and leadership are written and tested once.
 */

/** A message as a stream holds it. */
export interface StoredMessage {
  /** Its number in the stream: from 1, without gaps as they are stored. */
  readonly place: number;
  /** Within its stream. */
  readonly subject: string;
  /** As its writer gave it; empty if it gave none. */
  readonly id: string;
  readonly body: Uint8Array;
}

export interface NewMessage {
  readonly subject: string;
  /** Two messages with one id are stored once, if they come within two minutes of each other. */
  readonly id?: string;
  readonly body: Uint8Array;
}

/** The place that the last message must have, of the whole stream or of the message's subject; 0 for none. */
export type Expectation = { readonly last: number } | { readonly lastOfSubject: number };

/** What became of a message: its place, or `refused`: the expectation does not hold, and nothing was stored. */
export type Published = number | 'refused';

/** Places of the oldest message that is kept and of the newest that there was; without any, 1 and 0. */
export interface Ends {
  readonly first: number;
  readonly last: number;
}

export interface Delivered {
  readonly message: StoredMessage;
  /** How many messages the stream holds behind this one. */
  readonly pending: number;
}

/**
 * Messages as they come. It may end, fail, repeat itself or fall silent at any time; that of a log may also leave some
 * out, as its reader would notice.
 */
export interface Deliveries extends AsyncIterable<Delivered> {
  /** Ends the iteration, also one that waits. */
  stop(): void;
}

/**
 * A stream of messages. One that was removed since it was opened is empty and refuses everything. Every method is one attempt, which rejects with `BUS_UNREACHABLE` when its outcome is not
 * known: a message may then be stored all the same, even later.
 */
export interface Stream {
  publish(message: NewMessage, expected?: Expectation): Promise<Published>;
  /** Undefined when there is none at this place (any more). Never answered by a replica that is behind. */
  read(place: number): Promise<StoredMessage | undefined>;
  /** The newest message of a subject. */
  newest(subject: string): Promise<StoredMessage | undefined>;
  ends(): Promise<Ends>;
  /** From this place on, what comes later included. */
  deliver(from: number): Deliveries;
  /** Removes the messages of all subjects that start with `prefix` and a dot; those before a place, if one is given. */
  purge(prefix: string, before?: number): Promise<void>;
}

/** What a stream keeps: everything for some hours, or the newest message of each subject. */
type StreamKind = 'log' | 'values';

export interface StreamSpec {
  readonly name: string;
  readonly kind: StreamKind;
  /** The epoch of the cluster that it belongs to; undefined for the one stream that holds the epoch itself. */
  readonly cluster: string | undefined;
}

/** A question and its answer, between two processes that are there now. */
export interface Requests {
  /** Rejects with `BUS_NO_ANSWER` when nobody listens, which is certain, and `BUS_UNREACHABLE` after `timeoutMs`. */
  ask(subject: string, body: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** Answers everything under `prefix`, until it is stopped. */
  answer(prefix: string, handle: (name: string, body: Uint8Array) => Promise<Uint8Array>): () => void;
}

/** What is known of the servers. */
export interface ServerFacts {
  readonly version: string;
  /** Addresses of the cluster's servers, as far as known. */
  readonly servers: readonly string[];
  /** How many servers hold a copy of the stream that was opened last; 0 before the first. */
  readonly replicas: number;
}

/** A connection to the messaging system, which comes back by itself when it is lost. */
export interface Transport {
  readonly requests: Requests;
  /** The largest body of one message. */
  readonly largestBody: number;
  facts(): ServerFacts;
  isConnected(): boolean;
  /** Makes it where it is missing, if this process may; else undefined. Rejects if it is not ours. */
  openStream(spec: StreamSpec): Promise<Stream | undefined>;
  /** Everything under way rejects with `BUS_CLOSED`. Closing twice is fine. */
  close(): Promise<void>;
}
