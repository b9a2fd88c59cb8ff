/** A frame of the feed as it is stored. Only the feed reads `text`. */
export interface FeedRow {
  readonly topic: string;
  readonly seq: number;
  readonly at: number;
  readonly text: string;
}

/** The position of a topic of the feed. */
export interface FeedTopic {
  readonly topic: string;
  /** The number of its last frame. */
  readonly seq: number;
  /** Keys that have a record. */
  readonly keys: readonly string[];
}

/** Compressed rows of a topic, as one store hands them to another. Only stores read `bytes`. */
export interface FeedPack {
  readonly topic: string;
  /** Of its last row. */
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** The feed's frames, as far back as readers may ask for them again. */
export interface StoredFrames {
  /**
   * The epoch of the frame numbers, and the seq of the log up to which all frames are stored; undefined before the
   * first frame. A copy has no epoch: frames stored after it was made took the same numbers.
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
  /** The first rows of a topic after `seq`, at most `limit`. */
  read(topic: string, seq: number, limit: number): readonly FeedRow[];
  /** Compresses the older rows of a topic, if they are many, to a fortieth of their size; they read the same. */
  pack(topic: string): Promise<void>;
  /** The packs of a topic, oldest first; the rows after the last one are not packed. */
  packs(topic: string): Iterable<FeedPack>;
  /** Adds packs of another store, whose rows this one lacks. */
  addPacks(packs: readonly FeedPack[]): Promise<void>;
  /** Drops rows older than `beforeAt`, at most `maxRows` rows or packs; resolves to how many were dropped. */
  prune(beforeAt: number, maxRows: number): Promise<number>;
}
