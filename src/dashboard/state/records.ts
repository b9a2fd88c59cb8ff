import type { FeedRecord, FeedStatus, HeartbeatFrame } from '../../client/browser.ts';

export type Counters = FeedRecord<'counters'>;
export type Prediction = FeedRecord<'prediction'>;
export type Post = FeedRecord<'tweets'>;
/** The part of a post that charts need. */
export type PostTime = Pick<Post, 'tweet_id' | 'created_ts' | 'seen_ts' | 'is_counted'>;
export type Lag = FeedRecord<'lag'>;
export type Velocity = FeedRecord<'velocity'>;
export type Signals = FeedRecord<'signals'>;

/** The newest update of an event's forecast. */
export interface ForecastUpdate {
  readonly causes: readonly string[];
  readonly at: number;
}

/** The records of an account; undefined before the first frame. */
export interface AccountState {
  readonly counters: readonly Counters[] | undefined;
  readonly predictions: readonly Prediction[] | undefined;
  /** The newest posts, newest first. */
  readonly posts: readonly Post[] | undefined;
  /** Times of all known posts of the last month, newest first. */
  readonly times: readonly PostTime[];
  readonly lag: Lag | undefined;
  readonly velocity: Velocity | undefined;
  readonly signals: readonly Signals[] | undefined;
  /** By event id. */
  readonly forecastUpdates: ReadonlyMap<number, ForecastUpdate>;
}

export interface State {
  readonly status: FeedStatus;
  /** Of the accounts that are followed. */
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly heartbeat: HeartbeatFrame | undefined;
  /** The server's clock minus the browser's, ms. */
  readonly clockOffsetMs: number;
  /** Whether there is a key, and whether the server accepted it. */
  readonly key: 'none' | 'trying' | 'accepted';
  readonly keyFault: string | undefined;
}

export const EMPTY_ACCOUNT: AccountState = {
  counters: undefined,
  predictions: undefined,
  posts: undefined,
  times: [],
  lag: undefined,
  velocity: undefined,
  signals: undefined,
  forecastUpdates: new Map(),
};
