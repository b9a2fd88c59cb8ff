import type { FeedRecord, FeedStatus, HeartbeatFrame } from '../../client/browser.ts';

export type Counters = FeedRecord<'counters'>;
export type Prediction = FeedRecord<'prediction'>;
export type Post = FeedRecord<'tweets'>;
/** Of a post what is needed once it is too old to be read. */
export type PostTime = Pick<Post, 'tweet_id' | 'created_ts' | 'seen_ts' | 'is_counted'>;
export type Lag = FeedRecord<'lag'>;
export type Velocity = FeedRecord<'velocity'>;
export type Signals = FeedRecord<'signals'>;

/** What led to the newest frame of an event's forecast. */
export interface Stir {
  readonly causes: readonly string[];
  readonly at: number;
}

/** All that is known of an account; undefined until it was first told. */
export interface AccountState {
  readonly counters: readonly Counters[] | undefined;
  readonly predictions: readonly Prediction[] | undefined;
  /** Those that can be read, newest first. */
  readonly posts: readonly Post[] | undefined;
  /** When all known posts of the last month were made, newest first. */
  readonly times: readonly PostTime[];
  readonly lag: Lag | undefined;
  readonly velocity: Velocity | undefined;
  readonly signals: readonly Signals[] | undefined;
  /** By event. */
  readonly stirs: ReadonlyMap<number, Stir>;
}

export interface State {
  readonly status: FeedStatus;
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly heartbeat: HeartbeatFrame | undefined;
  /** The server's clock less ours, ms. */
  readonly skewMs: number;
  /** Whether there is a key, and what the server says of it. */
  readonly key: 'none' | 'trying' | 'accepted';
  readonly keyFault: string | undefined;
}

export const NOTHING_YET: AccountState = {
  counters: undefined,
  predictions: undefined,
  posts: undefined,
  times: [],
  lag: undefined,
  velocity: undefined,
  signals: undefined,
  stirs: new Map(),
};
